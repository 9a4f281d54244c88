import { accessCalls, changesCalls, Problem } from '@teaching/contracts';
import { type Bus, callService, newId, type Requester } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';
import type { GatewayConfig } from '../config.ts';
import { admitRequest } from '../http/admission.ts';
import type { RequestGuard } from '../http/request-guard.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { createChangeFeeds } from './change-feeds.ts';
import { ChangeStream } from './change-stream.ts';
import type { Viewer } from './change-visibility.rules.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * Requests, as the caller, the people and classes related to the caller. Supervisors see everything, so they need none.
 */
const viewerOf = async (
  requester: Requester,
  { user_id, roles, signedCaller }: Caller,
  patience_ms: number,
): Promise<Viewer> => {
  if (roles.includes('SUPERVISOR')) return { user_id, roles, children: NONE, clazz_ids: NONE, students: NONE };
  const head = { caller: signedCaller, request_id: newId(), deadline: performance.now() + patience_ms };
  const { children, clazz_ids, students } = await callService({ requester, head }, accessCalls.audience, undefined);
  return {
    user_id,
    roles,
    children: new Set(children),
    clazz_ids: new Set(clazz_ids),
    students: new Set(students),
  };
};

/** Open streams of one person at once. */
const STREAMS_OF_USER = 10;

interface Place {
  org_id: string;
  /** Organization and person. */
  account: string;
}
type Counts = Map<string, number>;

const changeCount = (counts: Counts, key: string, by: number): void => {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
};

/** Counts open streams: at most `most` per gateway, half of them per organization, and `STREAMS_OF_USER` per person. */
const createStreamPlaces = (most: number) => {
  const byOrg: Counts = new Map();
  const byAccount: Counts = new Map();
  let all = 0;
  const count = ({ org_id, account }: Place, by: number): void => {
    all += by;
    changeCount(byOrg, org_id, by);
    changeCount(byAccount, account, by);
  };
  return {
    count: (): number => all,
    /** Takes a place or throws; returns a function that gives it back. */
    take: (place: Place): (() => void) => {
      if ((byAccount.get(place.account) ?? 0) >= STREAMS_OF_USER)
        throw new Problem('rate_limited', `At most ${STREAMS_OF_USER} open pages of one person may receive changes`);
      if (all >= most || (byOrg.get(place.org_id) ?? 0) >= most / 2)
        throw new Problem('unavailable', 'Too many open pages receive changes');
      count(place, 1);
      return () => count(place, -1);
    },
  };
};

const { streamChanges } = changesCalls;
const TICK_MS = 1_000;
const SILENCE_MS = 15_000;
/** Timeout of the request for related people and classes. */
const PATIENCE_MS = 5_000;
/** `Retry-After` for a person with too many open pages, in seconds: the person has to close a page first. */
const CROWDED_S = 10;

interface ChangesDeps {
  config: GatewayConfig;
  bus: Bus;
  requester: Requester;
  guard: RequestGuard;
  limits: Pick<GatewayLimits, 'user' | 'org'>;
}

const throwDisconnected = (): never => {
  throw new Problem('unavailable', 'The gateway does not receive changes');
};

interface Open {
  stream: ChangeStream;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * `GET /api/v1/changes`: streams changes to open pages (ADR 31). A stream stays open while its token would be accepted,
 * and ends when the gateway closes; the client then reconnects. Returns a counter of open streams.
 */
export const registerChanges = (app: FastifyInstance, deps: ChangesDeps): { count: () => number } => {
  const { config, bus, requester, guard, limits } = deps;
  const feeds = createChangeFeeds(bus);
  const places = createStreamPlaces(config.MAX_STREAMS);
  const streams = new Set<Open>();
  // Streams are checked once a tick, so `alive` may be that much later.
  const silence_ms = Math.min(SILENCE_MS, (config.CONNECTION_TIMEOUT_MS - TICK_MS) / 2);
  let isClosing = false;

  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { org_id, account, roles } = await guard.identify(request, reply);
    if (!roles.some((role) => streamChanges.roles.includes(role))) throw new Problem('forbidden');
    const counted = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    await admitRequest(counted, streamChanges.cost, reply);
  };

  const listen = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!streamChanges.query.safeParse(request.query).success)
      throw new Problem('invalid_request', 'This path takes no parameters');
    const caller = await guard.identify(request, reply);
    if (isClosing || !bus.isUp()) throwDisconnected();
    const leave = takePlace(caller, reply);
    reply.raw.once('close', leave);
    // Changes that arrive meanwhile are received now and sent when the access of the viewer is known.
    const feed = feeds.of(caller.org_id);
    // Uses the latest identity: the signing key may be exchanged while the stream is open.
    const loadViewer = () => viewerOf(requester, request.identity ?? caller, PATIENCE_MS);
    const [viewer] = await Promise.all([loadViewer(), feed.ready.catch(throwDisconnected)]);
    reply.headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Some proxies buffer a response until it is complete.
      'x-accel-buffering': 'no',
    });
    if (request.method === 'HEAD') return reply.send();
    const last_event_id = [request.headers['last-event-id']].flat()[0];
    const stream = new ChangeStream({ feed, viewer, requestViewer: loadViewer, last_event_id, silence_ms });
    const open = { stream, request, reply };
    streams.add(open);
    stream.out.once('close', () => streams.delete(open));
    if (reply.raw.destroyed || isClosing) stream.end();
    return reply.send(stream.out);
  };

  const takePlace = (caller: { org_id: string; account: string }, reply: FastifyReply): (() => void) => {
    try {
      return places.take(caller);
    } catch (error) {
      if (error instanceof Problem && error.status === 429) reply.header('retry-after', CROWDED_S);
      throw error;
    }
  };

  /** Ends a stream when its caller would be refused now. */
  const check = async ({ stream, request, reply }: Open): Promise<void> => {
    try {
      await guard.identify(request, reply);
      stream.tick();
    } catch {
      stream.end();
    }
  };
  const ticking = setInterval(() => {
    for (const open of streams) void check(open);
  }, TICK_MS).unref();

  app.get(streamChanges.http?.path ?? '', { onRequest: enter, handler: listen });
  app.addHook('preClose', async () => {
    isClosing = true;
    clearInterval(ticking);
    for (const { stream } of streams) stream.end();
    feeds.stop();
  });
  return { count: places.count };
};
