import { changesCalls, Problem } from '@teaching/contracts';
import type { Bus, Requester } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { admit } from '../http/admission.ts';
import type { Guard } from '../http/guard.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { viewerOf } from './audience.ts';
import { createFeeds } from './feeds.ts';
import { createStreamPlaces } from './open-streams.ts';
import { ChangeStream } from './stream.ts';

const { streamChanges } = changesCalls;
const TICK_MS = 1_000;
const COMMENT_MS = 15_000;
/** Whom and what somebody has to do with is known soon, or not at all. */
const PATIENCE_MS = 5_000;
/** Somebody with too many pages open closes one of them first. */
const CROWDED_S = 10;

export interface ChangesDeps {
  config: GatewayConfig;
  bus: Bus;
  requester: Requester;
  guard: Guard;
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

  /** Whoever would not be let in now hears nothing more. */
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
