import { Problem } from '@teaching/contracts';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';

interface Window {
  used: number;
  ends: number;
}

/** Whoever comes beyond makes the one longest silent forgotten. */
const MAX_COUNTED = 100_000;

export interface RateLimit {
  /** Counts one more for a key, and refuses with 429 beyond the limit. */
  count(key: string, reply: FastifyReply): void;
  /** Whether nothing is left for a key; counts nothing. */
  isSpent(key: string): boolean;
  /** Takes back one that is not to count. */
  giveBack(key: string): void;
}

/**
 * Counts by key in fixed windows, and tells the caller where they stand (`RateLimit` and `RateLimit-Policy`,
 * draft-ietf-httpapi-ratelimit-headers). `what` is counted, as those headers name it.
 */
export const createRateLimit = (
  what: 'user' | 'address',
  limit: number,
  seconds: number,
  clock: () => number = Date.now,
): RateLimit => {
  const windows = new LRUCache<string, Window>({ max: MAX_COUNTED });
  const policy = `"${what}";q=${limit};w=${seconds}`;
  const count: RateLimit['count'] = (key, reply) => {
    const now = clock();
    let window = windows.get(key);
    if (window === undefined || window.ends <= now) {
      window = { used: 0, ends: now + seconds * 1000 };
      windows.set(key, window);
    }
    window.used += 1;
    const rest = Math.max(0, limit - window.used);
    const wait = Math.ceil((window.ends - now) / 1000);
    reply.header('ratelimit-policy', policy).header('ratelimit', `"${what}";r=${rest};t=${wait}`);
    if (window.used > limit) {
      reply.header('retry-after', wait);
      throw new Problem('rate_limited', `At most ${limit} requests in ${seconds} s`);
    }
  };
  return {
    count,
    isSpent: (key) => {
      const window = windows.get(key);
      return window !== undefined && window.ends > clock() && window.used >= limit;
    },
    giveBack: (key) => {
      const window = windows.get(key);
      if (window !== undefined) window.used = Math.max(0, window.used - 1);
    },
  };
};
