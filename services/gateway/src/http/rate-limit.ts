import { Problem } from '@teaching/contracts';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';

interface Window {
  used: number;
  ends: number;
}

const MAX_USERS = 100_000;

/**
 * Counts requests of each user of each org in fixed windows, and tells the caller where they stand
 * (`RateLimit` and `RateLimit-Policy`, draft-ietf-httpapi-ratelimit-headers).
 */
export const createRateLimit = (limit: number, seconds: number, clock: () => number = Date.now) => {
  const windows = new LRUCache<string, Window>({ max: MAX_USERS });
  const policy = `"user";q=${limit};w=${seconds}`;
  return (key: string, reply: FastifyReply): void => {
    const now = clock();
    let window = windows.get(key);
    if (window === undefined || window.ends <= now) {
      window = { used: 0, ends: now + seconds * 1000 };
      windows.set(key, window);
    }
    window.used += 1;
    const rest = Math.max(0, limit - window.used);
    const wait = Math.ceil((window.ends - now) / 1000);
    reply.header('ratelimit-policy', policy).header('ratelimit', `"user";r=${rest};t=${wait}`);
    if (window.used > limit) {
      reply.header('retry-after', wait);
      throw new Problem('rate_limited', `At most ${limit} requests in ${seconds} s`);
    }
  };
};
