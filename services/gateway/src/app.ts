import { callbackify } from 'node:util';
import cors from '@fastify/cors';
import { allCalls, operations, Problem, SERVICES } from '@teaching/contracts';
import {
  type Bus,
  liveSigner,
  type Logger,
  newId,
  record,
  type Requester,
  observeBus,
  traceId,
  watchGauges,
} from '@teaching/kit';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { registerAuthentication } from './auth/authenticate.ts';
import type { Keys } from './auth/keys.ts';
import type { Doorkeeper } from './auth/shut-out.ts';
import { registerChanges } from './changes/routes.ts';
import type { GatewayConfig } from './config.ts';
import { BUILT, type ConsoleFiles, registerConsole } from './console/files.ts';
import { DOCUMENT_PATHS, registerDocs } from './docs/docs.ts';
import { readBody } from './http/body.ts';
import { registerCall } from './http/call-routes.ts';
import { type Drain, registerDrain } from './http/drain.ts';
import { isEventStream, registerCompression } from './http/compression.ts';
import { limitConnections } from './http/connections.ts';
import { registerExpectations } from './http/expect.ts';
import { createGuard, refuseUnknownPath } from './http/guard.ts';
import { createHoldBack, limitRequestsAtOnce } from './http/hold-back.ts';
import { registerHealth } from './http/health.ts';
import { registerOtherMethods } from './http/methods.ts';
import type { Pending } from './http/pending.ts';
import { answerUnreadable, problemHandler, sendProblem } from './http/problems.ts';
import { proxiesOf } from './http/proxies.ts';
import { createRefusalReport } from './http/refusal-report.ts';
import { registerRefusals } from './http/refusals.ts';
import { createSecretLinks } from './http/secret-links.ts';
import { securityHeaders } from './http/security-headers.ts';
import { registerStandstill } from './http/standstill.ts';
import { registerUnread } from './http/unread.ts';
import { type GatewayLimits, ownLimit } from './limits/gateway-limits.ts';
import { AUTH_ROUTES, prepareLogin } from './session/login.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Characters of path and query together. */
const MAX_URL = 12_000;

const tooLong = ({ raw }: FastifyRequest): Problem | undefined =>
  (raw.url?.length ?? 0) > MAX_URL ? new Problem('uri_too_long', `At most ${MAX_URL} characters`) : undefined;
/** A proxy may have read the other one (RFC 9112 §3.2); a name that is said twice stands here as a list. */
const twoHosts = ({ headers }: FastifyRequest): Problem | undefined =>
  headers.host?.includes(',') ? new Problem('invalid_request', 'Name one Host') : undefined;

/** How often it is looked who takes too long. */
const LOOK_MS = 1_000;
/** Who has their answer and still sends is listened to for so long. */
const PATIENCE_MS = 5_000;

/** Paths that are not calls. */
const OPEN = ['/health/live', '/health/ready', ...DOCUMENT_PATHS].map((path) => ({
  method: 'GET',
  path,
}));

export interface GatewayDeps {
  config: GatewayConfig;
  bus: Bus;
  requester: Requester;
  log: Logger;
  keys: Keys;
  doorkeeper: Doorkeeper;
  drain: Drain;
  pending: Pending;
  limits: GatewayLimits;
  /** Where the built console is, if not where its build puts it. */
  consoleRoot?: string | undefined;
}

/** The HTTP side: every route comes from the contracts. Opens no socket. */
export const buildApp = async (deps: GatewayDeps): Promise<FastifyInstance> => {
  const { config, requester, log, keys, doorkeeper, drain, limits } = deps;
  const security = securityHeaders(config.HSTS);
  const isProxy = proxiesOf(config.TRUST_PROXY);
  const app = Fastify({
    return503OnClosing: false,
    trustProxy: isProxy ?? false,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    connectionTimeout: config.CONNECTION_TIMEOUT_MS,
    http: {
      maxHeaderSize: config.MAX_HEADER_BYTES,
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_MS,
      // What is said twice is not taken for what was said first.
      joinDuplicateHeaders: true,
    },
    routerOptions: { maxParamLength: 2_000 },
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && UUID.test(given) ? given : newId();
    },
    frameworkErrors: (_error, request, reply) => {
      // No hook runs for a URL that cannot be routed.
      reply.header('x-request-id', request.id).headers(security);
      void sendProblem(reply, tooLong(request) ?? new Problem('invalid_request', 'The URL cannot be read'));
    },
    clientErrorHandler: answerUnreadable(security),
  });
  limitConnections(app.server, config.MAX_CONNECTIONS_PER_ADDRESS, isProxy);
  app.decorateRequest('trace_id', '');
  app.decorateRequest('held', null);
  app.setErrorHandler(problemHandler(log));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', readBody);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(security).header('x-request-id', request.id);
    done(tooLong(request) ?? twoHosts(request));
  });
  registerStandstill(app);
  limitRequestsAtOnce(app);
  registerExpectations(app);
  registerCompression(app);
  registerDrain(app, drain);
  registerUnread(app, Math.min(PATIENCE_MS, config.REQUEST_TIMEOUT_MS));
  const report = createRefusalReport(requester, log);
  registerRefusals(app, log, report);
  app.addHook('onClose', () => report.close());
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'none' } = request.routeOptions;
    // How long a page was open is not how long it waited.
    if (!isEventStream(reply))
      record.http({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime);
    // Who watches over the gateway asks every second, and is no news.
    const level = route.startsWith('/health/') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) {
      done();
      return;
    }
    log[level](
      {
        request_id: request.id,
        trace_id: request.trace_id || traceId(request.id),
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  });
  if (config.CORS_ORIGINS !== undefined) {
    const options = {
      origin: config.CORS_ORIGINS,
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['etag', 'x-request-id', 'x-consistency-token', 'ratelimit', 'ratelimit-policy', 'retry-after'],
    };
    // `OPTIONS` by anybody but a browser about to call is answered like without CORS.
    await app.register(cors, {
      delegator: (request, done) =>
        done(null, { ...options, preflight: request.headers['access-control-request-method'] !== undefined }),
    });
  }
  const login = prepareLogin(config, log);
  const { authenticate, remembered } = await registerAuthentication(app, config, keys, login?.authenticate);
  const guard = createGuard({
    authenticate,
    doorkeeper,
    failures: limits.address,
    asked: ownLimit('address', config.FAILURE_LIMIT, config.RATE_LIMIT_WINDOW_SECONDS),
    holdBack: createHoldBack(config.HOLD_BACK_MS),
  });
  let pages: ConsoleFiles | undefined;
  /** A path that nothing has: a page of the console, or it is refused. */
  const enterUnknown = callbackify((request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    pages?.isPage(request) === true ? guard.pace(request) : refuseUnknownPath(guard, request, reply),
  );
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) enterUnknown(request, reply, (error) => done(error ?? undefined));
    else done();
  });
  app.setNotFoundHandler((request, reply) =>
    pages?.isPage(request) === true
      ? pages.sendPage(reply)
      : sendProblem(reply, new Problem('not_found', 'No such path')),
  );
  const changes = registerChanges(app, { config, bus: deps.bus, requester, guard, limits });
  const { enter, checkRoom, count } = deps.pending;
  const stopWatching = watchGauges((see) => {
    see('teaching.gateway.pending', count());
    see('teaching.gateway.streams', changes.count());
    see('teaching.gateway.tokens', remembered());
    const ages = { keys: keys.age_ms(), shut_out: doorkeeper.age_ms() };
    if (ages.keys !== undefined) see('teaching.gateway.keys.age', ages.keys / 1_000);
    if (ages.shut_out !== undefined) see('teaching.gateway.shut_out.age', ages.shut_out / 1_000);
    return observeBus(see, 'gateway', deps.bus);
  });
  app.addHook('onClose', async () => stopWatching());
  const secretLinks = createSecretLinks(liveSigner(config.SIGNING_SECRET), guard);
  const routeDeps = {
    requester,
    isProxy,
    guard,
    limits,
    secretLinks,
    enter,
    timeoutMs: config.CALL_TIMEOUT_MS,
  };
  await app.register(async (calls) => {
    calls.addHook('onRequest', (_request, _reply, done) => {
      checkRoom();
      done();
    });
    for (const call of allCalls) registerCall(calls, call, routeDeps);
  });
  if (login !== undefined) {
    await login.register(app, { doorkeeper, guard, limits });
    pages = await registerConsole(app, deps.consoleRoot ?? BUILT, guard.pace, log);
  }
  const own = [...OPEN, ...(login === undefined ? [] : AUTH_ROUTES), ...(pages?.routes ?? [])];
  registerOtherMethods(app, [...Object.values(operations).flatMap((call) => call.http ?? []), ...own], guard);
  registerHealth(app, { ...deps, guard }, SERVICES);
  if (config.DOCS) registerDocs(app, guard.pace);
  return app;
};
