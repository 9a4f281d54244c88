import { afterEach, expect, it, vi } from 'vitest';
import { findNatsServer } from './find-nats-server.mjs';

afterEach(() => vi.unstubAllEnvs());

it('uses the nats-server that NATS_SERVER names, and no other if it is missing', () => {
  vi.stubEnv('NATS_SERVER', process.execPath);
  expect(findNatsServer()).toBe(process.execPath);
  vi.stubEnv('NATS_SERVER', '/nowhere/nats-server');
  expect(findNatsServer).toThrow('NATS_SERVER names /nowhere/nats-server, which is not there.');
});
