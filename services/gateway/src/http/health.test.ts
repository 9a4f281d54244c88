import type { ServiceStatus } from '@teaching/contracts';
import { type Bus, encodeFrame, type Requester } from '@teaching/kit';
import Fastify from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { registerHealth } from './health.ts';

const SERVICES = ['one', 'other'];
const STATUS: Pick<ServiceStatus, 'logs' | 'followers'> = { logs: [], followers: [] };

afterEach(() => {
  vi.useRealTimers();
});

it('however often it is asked, services are asked once a second for readiness, and never for being alive', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const call = vi.fn<Requester['call']>(async () => encodeFrame({ status: 200 }, JSON.stringify(STATUS)));
  const app = Fastify();
  const bus = { isUp: () => true } as Bus;
  const requester: Requester = {
    user: 'gateway',
    call,
    request: () => Promise.reject(new Error('not asked')),
    stop: () => {},
  };
  const keys = { areThere: () => true, isCurrent: () => true, find: () => undefined, age_ms: () => 0 };
  const guard = { pace: async () => {} };
  registerHealth(app, { bus, requester, keys, drain: { isDraining: false }, guard }, SERVICES);
  const get = (url: string) => app.inject({ url });
  for (let second = 1; second <= 3; second += 1) {
    await Promise.all(Array.from({ length: 50 }, () => get('/health/live')));
    expect(call).toHaveBeenCalledTimes((second - 1) * SERVICES.length);
    for (let n = 0; n < 50; n += 1) await get('/health/ready');
    await Promise.all(Array.from({ length: 50 }, () => get('/health/ready')));
    expect(call).toHaveBeenCalledTimes(second * SERVICES.length);
    vi.advanceTimersByTime(1_001);
  }
  await app.close();
});
