import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { freePort } from '@teaching/local/ports.ts';
import { type Program, startProgram } from '@teaching/local/program.ts';
import { afterAll, assert, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { createFixtureService } from './fixture-service/fixture-service.ts';
import { startNetworkLink, type NetworkLink } from './network-link.ts';

const TOY = fileURLToPath(new URL('fixture-service/main.ts', import.meta.url));
/** Each way. So late, Postgres is slow, and there; */
const LATE_MS = 400;
/** so late, nobody waits for it. */
const SILENT_MS = 1_100;

let fixture: Fixture;
let wire: NetworkLink;
let toy: Program | undefined;
let health = '';
let metrics = '';

const ready = async (): Promise<number> =>
  fetch(`${health}/health/ready`).then(
    ({ status }) => status,
    () => 0,
  );
/** What the alert DatabaseSilent is told by. */
const known = async (): Promise<string | undefined> =>
  /^teaching_status_known\{[^}]*\} (\d)/m.exec(await (await fetch(`${metrics}/metrics`)).text())?.[1];

beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await createFixtureService(fixture);
  wire = await startNetworkLink(fixture);
  const [HEALTH_PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  [health, metrics] = [`http://127.0.0.1:${HEALTH_PORT}`, `http://127.0.0.1:${METRICS_PORT}`];
  const env = { ...wire.env('course'), HEALTH_PORT, METRICS_PORT, LOG_LEVEL: 'silent' };
  toy = startProgram(process.execPath, [TOY], { env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env } });
  await vi.waitFor(async () => assert((await ready()) === 200), POLL_OPTIONS);
});
afterAll(async () => {
  toy?.child.kill('SIGKILL');
  await wire?.proxy.close();
  await fixture?.stop();
});
beforeEach(() => wire.proxy.delay(0));

it('a Postgres that is late is no silent one', async () => {
  wire.proxy.delay(LATE_MS);
  await expect.poll(known, POLL_OPTIONS).toBe('1');
  expect(await ready()).toBe(200);
});

it('an instance is told to lack its database, and leaves, when no answer comes in time; and comes back', async () => {
  wire.proxy.delay(SILENT_MS);
  await expect.poll(ready, POLL_OPTIONS).toBe(503);
  await expect.poll(known, POLL_OPTIONS).toBe('0');
  wire.proxy.delay(LATE_MS);
  await expect.poll(ready, POLL_OPTIONS).toBe(200);
  await expect.poll(known, POLL_OPTIONS).toBe('1');
});
