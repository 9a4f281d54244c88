import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { missingToken } from '../auth/authenticate.ts';
import { ownLimit } from '../limits/gateway-limits.ts';
import { createRequestGuard } from './request-guard.ts';

const LIMIT = 3;
const PACE_MS = 7;

/** A guard whose delays are listed instead of waited for: their milliseconds, `long` beyond a limit. */
const guardOf = (isFast: boolean) => {
  const delays: (number | 'long')[] = [];
  const units: number[] = [];
  const guard = createRequestGuard({
    authenticate: (request, mayVerify) =>
      mayVerify(request).then(() => {
        throw missingToken();
      }),
    revocations: { check: () => {}, isFresh: () => true, age_ms: () => 0, version: () => 0 },
    failures: ownLimit('address', LIMIT, 60),
    publicRequests: ownLimit('address', LIMIT, 60),
    delay: async (_request, ms) => {
      delays.push(ms ?? 'long');
      return true;
    },
    addressPace: (_address, count) => {
      units.push(count);
      return isFast ? PACE_MS : 0;
    },
  });
  return { guard, delays, units };
};

const request = (headers: Record<string, string> = {}): FastifyRequest =>
  ({ ip: '192.0.2.1', held: null, refusal: '', headers }) as unknown as FastifyRequest;
const reply = { header: () => reply } as unknown as FastifyReply;

it('requests without a known token wait for the turn of their address, and longer beyond its limit', async () => {
  const { guard, delays } = guardOf(true);
  for (let n = 0; n <= LIMIT; n += 1) await guard.limitPublicRequests(request());
  expect(delays.splice(0)).toEqual([PACE_MS, PACE_MS, PACE_MS, 'long']);
  for (let n = 0; n < LIMIT; n += 1) void guard.countFailure(request(), reply, 'unknown_path');
  expect(delays.splice(0)).toEqual([PACE_MS, PACE_MS, PACE_MS]);
  expect(() => guard.countFailure(request(), reply, 'unknown_path')).toThrow(
    expect.objectContaining({ code: 'rate_limited' }),
  );
  await expect(guard.identify(request(), reply)).rejects.toMatchObject({ code: 'unauthenticated' });
  // One delay of a request is enough.
  expect(delays.splice(0)).toEqual(['long', 'long']);
});

it('work of a known size waits for its own turn', async () => {
  const { guard, delays, units } = guardOf(true);
  await guard.pace(request(), 20);
  expect([delays, units]).toEqual([[PACE_MS], [20]]);
  const quiet = guardOf(false);
  expect(quiet.guard.pace(request(), 20)).toBeUndefined();
  await quiet.guard.limitPublicRequests(request());
  expect(quiet.delays).toEqual([]);
});

it.each([
  ['no body', {}, 1],
  ['a short body', { 'content-length': '65536' }, 1],
  ['a body of 1 MiB', { 'content-length': '1048576' }, 17],
  ['a body of 1 GiB', { 'content-length': '1073741824' }, 17],
  ['a body of unknown length', { 'transfer-encoding': 'chunked' }, 17],
])('a request without a token and with %s is as much work as its body is long', async (_case, headers, expected) => {
  const { guard, units } = guardOf(false);
  await guard.limitPublicRequests(request(headers));
  expect(units).toEqual([expected]);
});
