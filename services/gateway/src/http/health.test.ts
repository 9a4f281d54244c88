import type { ServiceStatus } from '@teaching/contracts';
import type { Bus, ClockSkew, Requester } from '@teaching/kit';
import Fastify from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { replyFrame } from '../../../../tools/proofs/test/reply-to-call.ts';
import { registerHealth } from './health.ts';

const SERVICES = ['one', 'other'];
const STATUS: ServiceStatus = { logs: [], waiting: 0, followers: [] };

afterEach(() => {
  vi.useRealTimers();
});

const appWith = (call: Requester['call'], skews: ClockSkew[] = []) => {
  const app = Fastify();
  const bus = { isUp: () => true } as Bus;
  const requester: Requester = {
    user: 'gateway',
    call,
    request: () => Promise.reject(new Error('not asked')),
    clockSkews: () => skews,
    stop: () => {},
  };
  const keys = {
    areAvailable: () => true,
    isCurrent: () => true,
    find: () => undefined,
    version: () => 0,
    age_ms: () => 0,
  };
  const guard = { limitPublicRequests: async () => {} };
  const revocations = { isFresh: () => true, check: () => {}, age_ms: () => 0, version: () => 0 };
  registerHealth(app, { bus, requester, keys, revocations, drain: { isDraining: false }, guard }, SERVICES);
  return { get: (url: string) => app.inject({ url }), close: () => app.close() };
};
const answer: Requester['call'] = async (_call, head) => replyFrame(head, { status: 200 }, JSON.stringify(STATUS));

it('requests the status of services at most once a second for readiness and never for liveness', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const call = vi.fn<Requester['call']>(answer);
  const { get, close } = appWith(call);
  for (let second = 1; second <= 3; second += 1) {
    await Promise.all(Array.from({ length: 50 }, () => get('/health/live')));
    expect(call).toHaveBeenCalledTimes((second - 1) * SERVICES.length);
    for (let n = 0; n < 50; n += 1) await get('/health/ready');
    await Promise.all(Array.from({ length: 50 }, () => get('/health/ready')));
    expect(call).toHaveBeenCalledTimes(second * SERVICES.length);
    vi.advanceTimersByTime(1_001);
  }
  await close();
});

it('reports a service whose clock differs by more than two seconds, and stays ready', async () => {
  const { get, close } = appWith(answer, [
    { part: 'one', skew_ms: 20_000 },
    { part: 'other', skew_ms: -500 },
  ]);
  const ready = await get('/health/ready');
  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toMatchObject({ clocks: [{ part: 'one', skew_s: 20 }] });
  await close();
});

it('returns the last result while a service is slow, and the new result afterwards', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const refusals: (() => void)[] = [];
  const call = vi.fn<Requester['call']>(answer);
  const { get, close } = appWith(call);
  expect((await get('/health/ready')).statusCode).toBe(200);
  call.mockImplementation(() => new Promise((_, reject) => refusals.push(() => reject(new Error('timeout')))));
  vi.advanceTimersByTime(1_001);
  expect((await get('/health/ready')).statusCode).toBe(200);
  for (const refuse of refusals) refuse();
  expect((await get('/health/ready')).statusCode).toBe(503);
  await close();
});
