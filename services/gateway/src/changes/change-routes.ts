import { accessCalls, changesCalls, Problem } from '@teaching/contracts';
import { type Bus, callService, newId, type Requester } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';
import type { GatewayConfig } from '../config.ts';
import { admit } from '../http/admission.ts';
import type { RequestGuard } from '../http/request-guard.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { createFeeds } from './change-feeds.ts';
import { ChangeStream } from './change-stream.ts';
import type { Viewer } from './change-visibility.rules.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** Asks the class service, as the caller, whom and what they have to do with; for supervisors that decides nothing. */
const viewerOf = async (
  requester: Requester,
  { user_id, roles, sealed }: Caller,
  patience_ms: number,
): Promise<Viewer> => {
  if (roles.includes('SUPERVISOR')) return { user_id, roles, children: NOBODY, clazz_ids: NOBODY, students: NOBODY };
  const head = { caller: sealed, request_id: newId(), deadline: Date.now() + patience_ms };
  const { children, clazz_ids, students } = await callService({ requester, head }, accessCalls.audience, undefined);
  return {
    user_id,
    roles,
    children: new Set(children),
    clazz_ids: new Set(clazz_ids),
    students: new Set(students),
  };
};

/** Pages of one person at once. */
const STREAMS_OF_USER = 10;

interface Place {
  org_id: string;
  /** Whose it is. */
  account: string;
}
type Counts = Map<string, number>;

const changeCount = (counts: Counts, key: string, by: number): void => {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
};

/** Counts streams: so many of a gateway, of these at most half of one organization, and a few of one person. */
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
    /** Takes one, or refuses; returns the way to give it back. */
    take: (place: Place): (() => void) => {
      if ((byAccount.get(place.account) ?? 0) >= STREAMS_OF_USER)
        throw new Problem('rate_limited', `At most ${STREAMS_OF_USER} pages of one person hear of changes at once`);
      if (all >= most || (byOrg.get(place.org_id) ?? 0) >= most / 2)
        throw new Problem('unavailable', 'Too many pages hear of changes');
      count(place, 1);
      return () => count(place, -1);
    },
  };
};

const { streamChanges } = changesCalls;
const TICK_MS = 1_000;
const COMMENT_MS = 15_000;
/** Whom and what somebody has to do with is known soon, or not at all. */
const PATIENCE_MS = 5_000;
/** Somebody with too many pages open closes one of them first. */
const CROWDED_S = 10;

interface ChangesDeps {
  config: GatewayConfig;
  bus: Bus;
  requester: Requester;
  guard: RequestGuard;
  limits: Pick<GatewayLimits, 'user' | 'org'>;
}

const unheard = (): never => {
  throw new Problem('unavailable', 'Nothing is heard of changes');
};

interface Open {
  stream: ChangeStream;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * `GET /api/v1/changes`: the gateway tells an open page what changes (ADR 31). A stream lives as long as a request of the same
 * token would be let in, and ends when the gateway closes; whoever reads it connects again. Answers how many are open.
 */
export const registerChanges = (app: FastifyInstance, deps: ChangesDeps): { count: () => number } => {
  const { config, bus, requester, guard, limits } = deps;
  const feeds = createFeeds(bus);
  const places = createStreamPlaces(config.MAX_STREAMS);
  const streams = new Set<Open>();
  // A stream is looked at once a tick, so a comment may come that much later.
  const comment_ms = Math.min(COMMENT_MS, (config.CONNECTION_TIMEOUT_MS - TICK_MS) / 2);
  let isClosing = false;

  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { org_id, account, roles } = await guard.identify(request, reply);
    if (!roles.some((role) => streamChanges.who.includes(role))) throw new Problem('forbidden');
    const counted = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    await admit(counted, streamChanges.cost, reply);
  };

  const listen = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!streamChanges.query.safeParse(request.query).success)
      throw new Problem('invalid_request', 'No parameters are taken');
    const caller = await guard.identify(request, reply);
    if (isClosing || !bus.isUp()) unheard();
    const leave = takePlace(caller, reply);
    reply.raw.once('close', leave);
    // What happens meanwhile is heard, and told when it is known whether it may be.
    const feed = feeds.of(caller.org_id);
    // As whom they were let in last: a seal may be exchanged meanwhile.
    const look = () => viewerOf(requester, request.identity ?? caller, PATIENCE_MS);
    const [viewer] = await Promise.all([look(), feed.ready.catch(unheard)]);
    reply.headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Some proxies keep an answer until it is whole.
      'x-accel-buffering': 'no',
    });
    if (request.method === 'HEAD') return reply.send();
    const last_event_id = [request.headers['last-event-id']].flat()[0];
    const stream = new ChangeStream({ feed, viewer, look, last_event_id, comment_ms });
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

  /** Ends a stream whose caller would not be admitted now. */
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
