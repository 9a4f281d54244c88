import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { freePort } from '@teaching/local/ports.ts';
import { type Program, startProgram } from '@teaching/local/program.ts';
import { afterAll, assert, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { createFixtureService } from './fixture-service/fixture-service.ts';
import { startNetworkLink, type NetworkLink } from './network-link.ts';

const FIXTURE_SERVICE = fileURLToPath(new URL('fixture-service/main.ts', import.meta.url));
/** A delay in each direction with which Postgres is slow but available. */
const SLOW_MS = 400;
/** A delay in each direction with which Postgres counts as unavailable. */
const TOO_LATE_MS = 1_100;

let fixture: Fixture;
let link: NetworkLink;
let service: Program | undefined;
let health = '';
let metrics = '';

const ready = async (): Promise<number> =>
  fetch(`${health}/health/ready`).then(
    ({ status }) => status,
    () => 0,
  );
/** The metric of the alert DatabaseSilent. */
const known = async (): Promise<string | undefined> =>
  /^teaching_status_known\{[^}]*\} (\d)/m.exec(await (await fetch(`${metrics}/metrics`)).text())?.[1];

beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await createFixtureService(fixture);
  link = await startNetworkLink(fixture);
  const [HEALTH_PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  [health, metrics] = [`http://127.0.0.1:${HEALTH_PORT}`, `http://127.0.0.1:${METRICS_PORT}`];
  const env = { ...link.envFor('course'), HEALTH_PORT, METRICS_PORT, LOG_LEVEL: 'silent' };
  service = startProgram(process.execPath, [FIXTURE_SERVICE], {
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env },
  });
  await vi.waitFor(async () => assert((await ready()) === 200), POLL_OPTIONS);
});
afterAll(async () => {
  service?.child.kill('SIGKILL');
  await link?.proxy.close();
  await fixture?.stop();
});
beforeEach(() => link.proxy.delay(0));

it('a slow Postgres does not count as unavailable', async () => {
  link.proxy.delay(SLOW_MS);
  await expect.poll(known, POLL_OPTIONS).toBe('1');
  expect(await ready()).toBe(200);
});

it('an instance is not ready and leaves while its database does not answer in time, and joins again afterwards', async () => {
  link.proxy.delay(TOO_LATE_MS);
  await expect.poll(ready, POLL_OPTIONS).toBe(503);
  await expect.poll(known, POLL_OPTIONS).toBe('0');
  link.proxy.delay(SLOW_MS);
  await expect.poll(ready, POLL_OPTIONS).toBe(200);
  await expect.poll(known, POLL_OPTIONS).toBe('1');
});
