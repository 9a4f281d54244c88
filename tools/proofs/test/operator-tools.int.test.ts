import { dirname } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { clazzCalls, packageCalls } from '../../../libs/contracts/src/index.ts';
import { rebuildCalls } from '../../../libs/contracts/src/stats/rebuild.calls.ts';
import { asOperator } from '../../operators/operator/operator.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';
import { inCheckout, launch, runCli } from './run-tool.ts';
import { POLL_OPTIONS } from './poll-options.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
// Each test runs several processes.
vi.setConfig({ testTimeout: 90_000 });
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const admin = () => ({ NATS_URL: fixture.nats.url, NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin });

it('status: reports blocked processing by its exit code and in words', async () => {
  await supervisor().ok(clazzCalls.createClazz, { body: { name: 'A', lead_teacher_id: 'lee' } });
  const output = async () => (await runCli('status', admin())).out;
  const exitCode = async () => (await runCli('status', admin())).code;
  await expect.poll(output, POLL_OPTIONS).toMatch(/^clazz +log clazz +\d+\/1 +published 1$/m);
  expect(await exitCode()).toBe(0);
  await fixture.sql('revoke insert on stats.clazz from stats_worker');
  await supervisor().ok(clazzCalls.createClazz, { body: { name: 'B', lead_teacher_id: 'lee' } });
  await expect.poll(exitCode, POLL_OPTIONS).toBe(1);
  expect(await output()).toContain('permission denied');
  await fixture.sql('grant insert on stats.clazz to stats_worker');
  await expect.poll(exitCode, POLL_OPTIONS).toBe(0);
});

it('stats-rebuild: rebuilds the statistics and ends when the new generation is current', async () => {
  const generation = () => fixture.sql<{ gen: number }>("select gen from stats.generation where state = 'current'");
  const [before] = await generation();
  expect(await runCli('rebuild', admin())).toMatchObject({ code: 0, err: '' });
  expect((await generation())[0]?.gen).toBeGreaterThan(before?.gen ?? Infinity);
});

it('stats-rebuild: continues after its command is interrupted, and the command can be repeated', async () => {
  const building = () => fixture.sql<{ gen: number }>("select gen from stats.generation where state = 'building'");
  const current = () => fixture.sql<{ gen: number }>("select gen from stats.generation where state = 'current'");
  const holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  try {
    // The lock on the offsets stops the follower.
    await holder.query('begin; lock table stats.follower_position in share row exclusive mode');
    const { child, ended } = launch([inCheckout('tools/cli.ts'), 'rebuild'], admin());
    await expect.poll(async () => (await building()).length, POLL_OPTIONS).toBe(1);
    const [begun] = await building();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, err: expect.stringContaining('continues by itself') });
    // A repeated command watches the same rebuild.
    const again = await asOperator('rebuild', admin(), (operator) => operator.ask(rebuildCalls.begin, {}));
    expect(again).toMatchObject({ gen: begun?.gen, done: false });
    await holder.query('rollback');
    await expect.poll(current, POLL_OPTIONS).toEqual([begun]);
  } finally {
    await holder.end();
  }
});

it('streams: changes the size limit of streams and prints the changes', async () => {
  const all = ['EVENTS_CLAZZ', 'AUDIT_CLAZZ', 'EVENTS_COURSE', 'EVENTS_PACKAGE'];
  const setLimit = async (max_bytes: string) =>
    JSON.parse((await runCli('streams', admin(), '--max-bytes', max_bytes, '--json')).out);
  expect(await setLimit('2000000')).toEqual({ created: [], changed: all });
  expect(await setLimit('2000000')).toEqual({ created: [], changed: [] });
  const bus = await connect({ servers: fixture.nats.url, user: 'admin', pass: admin().NATS_ADMIN_PASSWORD });
  const managerOf = (stream: string) =>
    jetstreamManager(bus, { domain: stream.split('_')[1]?.toLowerCase() ?? '', checkAPI: false });
  for (const stream of all)
    expect((await (await managerOf(stream)).streams.info(stream)).config.max_bytes, stream).toBe(2_000_000);
  await (await managerOf('EVENTS_COURSE')).streams.update('EVENTS_COURSE', { max_bytes: 3_000_000 });
  await bus.close();
  expect(await setLimit('2000000')).toMatchObject({ changed: ['EVENTS_COURSE'] });
  expect((await runCli('streams', admin(), '--max-bytes', '1')).code).toBe(2);
});

it('token: prints a token that the gateway accepts, and names each invalid argument', async () => {
  const env = { DATA_DIR: dirname(fixture.keys.jwksFile) };
  const { code, out } = await runCli('token', env, '--org', fixture.org, '--sub', 'ada', '--role', 'TEACHER');
  expect(code).toBe(0);
  const created = await fixture
    .raw(`Bearer ${out.trim()}`)
    .ok(packageCalls.createPackage, { body: { title: 'Algebra' } });
  expect(created).toMatchObject({ teacher_id: 'ada', org_id: fixture.org });
  const wrong = await runCli('token', env, '--org', 'x', '--role', 'BOSS');
  expect(wrong.code).toBe(2);
  expect(wrong.err).toMatch(/--org[\s\S]*--sub is missing[\s\S]*--role/);
});
