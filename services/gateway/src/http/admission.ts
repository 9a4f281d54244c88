import { Problem } from '@teaching/contracts';
import type { FastifyReply } from 'fastify';
import type { RateLimit } from '../limits/rate-limit.ts';

/** A limit that a request uses, and the key it is counted under. */
export interface CountedLimit {
  limit: RateLimit;
  key: string;
}

const seconds = (ms: number): number => Math.ceil(ms / 1_000);

/** An item of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11, §4.1). */
const itemOf = ({ limit, key }: CountedLimit): string => {
  const { left, for_ms } = limit.limitState(key);
  return `"${limit.name}";r=${left};t=${seconds(for_ms)}`;
};

const setLimitHeaders = (all: readonly CountedLimit[], reply: FastifyReply): void => {
  let [policies, items] = ['', ''];
  for (const one of all) {
    const between = items === '' ? '' : ', ';
    policies += between + one.limit.policy;
    items += between + itemOf(one);
  }
  reply.header('ratelimit-policy', policies).header('ratelimit', items);
};

/** Builds the 429 problem. A request that one limit refuses counts under none. */
const refusal = (all: readonly CountedLimit[], at: number, cost: number, reply: FastifyReply): Problem => {
  for (const { limit, key } of all.slice(0, at)) limit.giveBack(key, cost);
  setLimitHeaders(all, reply);
  const [refused] = all.slice(at);
  if (refused === undefined) return new Problem('internal');
  const { limit, key } = refused;
  reply.header('retry-after', seconds(limit.retryDelay(key, cost)));
  return new Problem('rate_limited', `At most ${limit.quota} requests in ${limit.window_s} s for one ${limit.name}`);
};

/**
 * Counts a request under every limit that it uses, or throws 429 and counts it under none. Sets the `RateLimit`
 * headers. Returns a promise only while other gateways are asked for units.
 */
export const admitRequest = (
  all: readonly CountedLimit[],
  cost: number,
  reply: FastifyReply,
  from = 0,
): void | Promise<void> => {
  for (const [at, { limit, key }] of all.entries()) {
    if (at < from) continue;
    const taken = limit.take(key, cost);
    if (taken instanceof Promise)
      return taken.then((is) => {
        if (!is) throw refusal(all, at, cost, reply);
        return admitRequest(all, cost, reply, at + 1);
      });
    if (!taken) throw refusal(all, at, cost, reply);
  }
  setLimitHeaders(all, reply);
};

const tooManyPending = (): Problem => new Problem('unavailable', 'Too many requests are in progress');

export interface PendingCalls {
  count: () => number;
  /** Throws 503 while the gateway is full, before a token is checked or a body is read. */
  checkCapacity: () => void;
  /** Takes a place until the response is sent or the client disconnects; throws 503 when no place is free. */
  takePlace: (org_id: string, reply: FastifyReply) => void;
}

/** Counts the calls in progress: at most `most`, and half of them per organization. */
export const createPendingCalls = (most: number): PendingCalls => {
  const byOrg = new Map<string, number>();
  let all = 0;

  const leave = (org_id: string): void => {
    all -= 1;
    const left = (byOrg.get(org_id) ?? 1) - 1;
    if (left > 0) byOrg.set(org_id, left);
    else byOrg.delete(org_id);
  };

  return {
    count: () => all,
    checkCapacity: () => {
      if (all >= most) throw tooManyPending();
    },
    takePlace: (org_id, reply) => {
      const own = byOrg.get(org_id) ?? 0;
      if (all >= most || own >= most / 2) throw tooManyPending();
      all += 1;
      byOrg.set(org_id, own + 1);
      reply.raw.once('close', () => leave(org_id));
    },
  };
};
