import { Problem } from '@teaching/contracts';
import type { FastifyReply } from 'fastify';
import type { RateLimit } from '../limits/rate-limit.ts';

/** Whose units a request uses, of which limit. */
export interface Counted {
  limit: RateLimit;
  key: string;
}

const seconds = (ms: number): number => Math.ceil(ms / 1_000);

/** An item of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11, §4.1). */
const itemOf = ({ limit, key }: Counted): string => {
  const { left, for_ms } = limit.standing(key);
  return `"${limit.name}";r=${left};t=${seconds(for_ms)}`;
};

const tell = (all: readonly Counted[], reply: FastifyReply): void => {
  reply
    .header('ratelimit-policy', all.map(({ limit }) => limit.policy).join(', '))
    .header('ratelimit', all.map(itemOf).join(', '));
};

const refusal = (all: readonly Counted[], at: number, cost: number, reply: FastifyReply): Problem => {
  tell(all, reply);
  const [refused] = all.slice(at);
  if (refused === undefined) return new Problem('internal');
  const { limit, key } = refused;
  reply.header('retry-after', seconds(limit.retryIn(key, cost)));
  return new Problem('rate_limited', `At most ${limit.quota} requests in ${limit.window_s} s for one ${limit.name}`);
};

/**
 * Counts a request for everybody whose limit it uses, or throws 429 and counts it for nobody. It tells the caller where
 * they stand. A promise only while other gateways are asked for their part.
 */
export const admit = (all: readonly Counted[], cost: number, reply: FastifyReply): void | Promise<void> => {
  const settle = (taken: boolean, at: number): void | Promise<void> => {
    if (taken) return next(at + 1);
    for (const { limit, key } of all.slice(0, at)) limit.giveBack(key, cost);
    throw refusal(all, at, cost, reply);
  };
  const next = (at: number): void | Promise<void> => {
    const one = all[at];
    if (one === undefined) return tell(all, reply);
    const taken = one.limit.take(one.key, cost);
    return taken instanceof Promise ? taken.then((is) => settle(is, at)) : settle(taken, at);
  };
  return next(0);
};
