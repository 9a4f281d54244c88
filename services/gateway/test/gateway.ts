import { gatewayEnv } from '@teaching/local/service-env.ts';
import { inject } from 'vitest';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import type { Env } from '../../../libs/kit/src/index.ts';
import { type RunningGateway, start } from '../src/main.ts';
import type { StartOptions } from '../src/start.ts';

/** The environment of another gateway of a fixture. */
export const envOfGateway = (fixture: Fixture, more: Env = {}): Env => ({
  ...gatewayEnv({ ...inject('stack'), natsUrl: fixture.nats.url }, fixture.keys),
  RATE_LIMIT: '1000000',
  FAILURE_LIMIT: '1000000',
  HOLD_BACK_MS: '20',
  LOG_LEVEL: 'silent',
  ...more,
});

/** Starts another gateway of the fixture. The caller stops it. */
export const startGateway = (fixture: Fixture, more: Env = {}, options?: StartOptions): Promise<RunningGateway> =>
  start(envOfGateway(fixture, more), options);
