import { callbackify } from 'node:util';
import cors from '@fastify/cors';
import { allCalls, operations, Problem, SERVICES } from '@teaching/contracts';
import {
  type Bus,
  liveSigner,
  type Logger,
  newId,
  type Requester,
  observeBus,
  observeClocks,
  observeGauges,
} from '@teaching/kit';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { registerAuthentication } from './auth/authenticate.ts';
import type { Keys } from './auth/key-store.ts';
import type { Revocations } from './auth/revocations.ts';
import { registerChanges } from './changes/change-routes.ts';
import type { GatewayConfig } from './config.ts';
import { CONSOLE_FOLDER, type ConsoleFiles, registerConsole } from './console/console-files.ts';
import { DOCUMENT_PATHS, registerDocs } from './docs/docs.ts';
import type { PendingCalls } from './http/admission.ts';
import { closeUnreadRequests, readBody, registerExpectContinue } from './http/request-body.ts';
import { registerCallRoute } from './http/call-routes.ts';
import { registerCompression } from './http/compress-replies.ts';
import { type Drain, limitConnections, registerDrain } from './http/connections.ts';
import { createRequestGuard, type RequestGuard, refuseUnknownPath } from './http/request-guard.ts';
import { registerHealth } from './http/health.ts';
import { registerMethodNotAllowed } from './http/method-not-allowed.ts';
import { endWithProblem, problemHandler, replyUnreadable, sendProblem } from './http/problem-replies.ts';
import { createAddressPace } from './http/address-pace.ts';
import { createDocumentSender } from './http/send-document.ts';
import { registerProcessPause } from './http/process-pause.ts';
import { type IsProxy, proxiesOf } from './http/trusted-proxies.ts';
import { createRefusalReport, registerRefusals } from './http/refusal-report.ts';
import { createRequestLog, type RequestLog } from './http/request-log.ts';
import { createResponseDelay } from './http/response-delay.ts';
import { createSecretLinks } from './http/secret-links.ts';
import { type SecurityHeaders, securityHeaders } from './http/security-headers.ts';
import { createUnansweredRequests, type UnansweredRequests } from './http/unanswered-requests.ts';
import { type GatewayLimits, ownLimit } from './limits/gateway-limits.ts';
import { AUTH_ROUTES, prepareLogin } from './session/login.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Characters of path and query together. */
const MAX_URL = 12_000;

const urlTooLong = ({ raw }: FastifyRequest): Problem | undefined =>
  (raw.url?.length ?? 0) > MAX_URL ? new Problem('uri_too_long', `At most ${MAX_URL} characters`) : undefined;
/**
 * Refuses two `Host` headers: a proxy may have used the other one (RFC 9112 §3.2). Repeated headers are joined here.
 */
const twoHosts = ({ headers }: FastifyRequest): Problem | undefined =>
  headers.host?.includes(',') ? new Problem('invalid_request', 'Send exactly one Host header') : undefined;

/** Interval of Node's check for slow requests, in milliseconds. */
const CHECK_MS = 1_000;
/** Milliseconds for which a client may continue to send a body after its answer. */
const UNREAD_MS = 5_000;

/** Paths without authentication that are not calls of the contracts. */
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
  revocations: Revocations;
  drain: Drain;
  pending: PendingCalls;
  limits: GatewayLimits;
  /** Folder of the built console; by default the folder that its build writes. */
  consoleRoot?: string | undefined;
}

/** Creates an HTTP server without routes. It answers requests that cannot be routed. */
const createServer = (
  config: GatewayConfig,
  isProxy: IsProxy | undefined,
  security: SecurityHeaders,
  unanswered: UnansweredRequests,
) => {
  const app = Fastify({
    return503OnClosing: false,
    trustProxy: isProxy ?? false,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    connectionTimeout: config.CONNECTION_TIMEOUT_MS,
    http: {
      maxHeaderSize: config.MAX_HEADER_BYTES,
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_MS,
      // A repeated header is a list, never its first value.
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
      if (!unanswered.accept(request, reply)) return;
      reply.raw.once('finish', () => unanswered.complete(request));
      reply.header('x-request-id', request.id).headers(security);
      void sendProblem(reply, urlTooLong(request) ?? new Problem('invalid_request', 'The URL cannot be read'));
    },
    clientErrorHandler: replyUnreadable(unanswered),
  });
  limitConnections(app.server, config.MAX_CONNECTIONS_PER_ADDRESS, isProxy);
  return app;
};

/** Registers the hooks that run for every request, in this order. */
const registerHooks = (
  app: FastifyInstance,
  { config, requester, log, drain }: GatewayDeps,
  security: SecurityHeaders,
  unanswered: UnansweredRequests,
  logRequest: RequestLog,
): void => {
  app.decorateRequest('trace_id', '');
  app.decorateRequest('held', null);
  app.setErrorHandler(problemHandler(log));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', readBody);
  unanswered.register(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(security).header('x-request-id', request.id);
    done(urlTooLong(request) ?? twoHosts(request));
  });
  registerProcessPause(app);
  registerExpectContinue(app);
  registerCompression(app);
  registerDrain(app, drain, unanswered);
  closeUnreadRequests(app, Math.min(UNREAD_MS, config.REQUEST_TIMEOUT_MS));
  const report = createRefusalReport(requester, log);
  registerRefusals(app, log, report);
  app.addHook('onClose', () => report.close());
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
};

const registerCors = async (app: FastifyInstance, origin: string[] | undefined): Promise<void> => {
  if (origin === undefined) return;
  const options = {
    origin,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['etag', 'x-request-id', 'x-consistency-token', 'ratelimit', 'ratelimit-policy', 'retry-after'],
  };
  // `OPTIONS` without the header of a preflight gets the same answer as without CORS.
  await app.register(cors, {
    delegator: (request, done) =>
      done(null, { ...options, preflight: request.headers['access-control-request-method'] !== undefined }),
  });
};

/**
 * Answers paths without a route: with a page of the console, or with 404. `pagesOf` returns the console once it is
 * registered.
 */
const registerUnknownPaths = (
  app: FastifyInstance,
  guard: RequestGuard,
  pagesOf: () => ConsoleFiles | undefined,
): void => {
  const isPage = (request: FastifyRequest): boolean => pagesOf()?.isPage(request) === true;
  const enterUnknown = callbackify((request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    isPage(request) ? guard.limitPublicRequests(request) : refuseUnknownPath(guard, request, reply),
  );
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) enterUnknown(request, reply, (error) => done(error ?? undefined));
    else done();
  });
  app.setNotFoundHandler((request, reply) => {
    const pages = pagesOf();
    return pages?.isPage(request) === true
      ? pages.sendPage(request, reply)
      : sendProblem(reply, new Problem('not_found', 'No such path'));
  });
};

const watchGateway = (
  app: FastifyInstance,
  { bus, requester, keys, revocations, pending }: GatewayDeps,
  counts: { streams: () => number; tokens: () => number },
): void => {
  const stopWatching = observeGauges((see) => {
    see('teaching.gateway.pending', pending.count());
    see('teaching.gateway.streams', counts.streams());
    see('teaching.gateway.tokens', counts.tokens());
    const ages = { keys: keys.age_ms(), shut_out: revocations.age_ms() };
    if (ages.keys !== undefined) see('teaching.gateway.keys.age', ages.keys / 1_000);
    if (ages.shut_out !== undefined) see('teaching.gateway.shut_out.age', ages.shut_out / 1_000);
    observeClocks(see, 'gateway', requester.clockSkews());
    return observeBus(see, 'gateway', bus);
  });
  app.addHook('onClose', async () => stopWatching());
};

/** Builds the HTTP application: every API route is made from the contracts. Opens no socket. */
export const buildApp = async (deps: GatewayDeps): Promise<FastifyInstance> => {
  const { config, requester, log, keys, revocations, limits, pending } = deps;
  const security = securityHeaders(config.HSTS);
  const isProxy = proxiesOf(config.TRUST_PROXY);
  const unanswered = createUnansweredRequests(endWithProblem(security));
  const app = createServer(config, isProxy, security, unanswered);
  const logRequest = createRequestLog(log);
  registerHooks(app, deps, security, unanswered, logRequest);
  await registerCors(app, config.CORS_ORIGINS);
  const login = prepareLogin(config, log);
  const { authenticate, forget, remembered } = await registerAuthentication(app, config, keys, login?.authenticate);
  const guard = createRequestGuard({
    authenticate,
    revocations,
    failures: limits.address,
    publicRequests: ownLimit('address', config.FAILURE_LIMIT, config.RATE_LIMIT_WINDOW_SECONDS),
    delay: createResponseDelay(config.HOLD_BACK_MS),
    addressPace: createAddressPace(config.HOLD_BACK_MS),
  });
  const sendDocument = createDocumentSender(guard);
  let pages: ConsoleFiles | undefined;
  registerUnknownPaths(app, guard, () => pages);
  // A detached connection runs no `onResponse` hook.
  const onDetached = (request: FastifyRequest, reply: FastifyReply): void => {
    unanswered.complete(request);
    forget(request.raw.socket);
    logRequest(request, reply);
  };
  const changes = registerChanges(app, { config, bus: deps.bus, requester, guard, revocations, limits, onDetached });
  watchGateway(app, deps, { streams: changes.count, tokens: remembered });
  const secretLinks = createSecretLinks(liveSigner(config.SIGNING_SECRET), guard);
  const { takePlace, checkCapacity } = pending;
  const routeDeps = {
    requester,
    isProxy,
    guard,
    limits,
    secretLinks,
    enter: takePlace,
    timeoutMs: config.CALL_TIMEOUT_MS,
  };
  await app.register(async (calls) => {
    calls.addHook('onRequest', (_request, _reply, done) => {
      checkCapacity();
      done();
    });
    for (const call of allCalls) registerCallRoute(calls, call, routeDeps);
  });
  if (login !== undefined) {
    await login.register(app, { revocations, guard, limits });
    pages = await registerConsole(app, deps.consoleRoot ?? CONSOLE_FOLDER, {
      pace: guard.limitPublicRequests,
      sendDocument,
      log,
    });
  }
  const own = [...OPEN, ...(login === undefined ? [] : AUTH_ROUTES), ...(pages?.routes ?? [])];
  registerMethodNotAllowed(app, [...Object.values(operations).flatMap((call) => call.http ?? []), ...own], guard);
  registerHealth(app, { ...deps, guard }, SERVICES);
  if (config.DOCS) registerDocs(app, guard.limitPublicRequests, sendDocument);
  return app;
};
