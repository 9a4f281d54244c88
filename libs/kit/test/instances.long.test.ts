import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningService } from '../src/index.ts';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { startProgram } from '@teaching/local/program.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import {
  envWithoutMigration,
  startFixtureService,
  type FixtureServiceSystem,
} from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';

const FIXTURE_SERVICE = fileURLToPath(new URL('fixture-service/main.ts', import.meta.url));
const often = { interval: 20 };
const { read, write } = fixtureServiceCalls;
const { lines, log } = recordingLog();

let fixture: FixtureServiceSystem;
let caller: TestCaller;
let child: ChildProcess | undefined;

beforeAll(async () => {
  fixture = await startFixtureService({ log });
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
/** Answers of the instance in this process begin with `here:`. Another process returns the title of the request. */
beforeEach(() => {
  lines.length = 0;
  fixture.service.reset();
  fixture.service.actions.read = fixture.service.actions.write = async (_session, title) => ({
    title: `here: ${title}`,
  });
});
afterEach(() => {
  child?.kill('SIGCONT');
  child?.kill('SIGKILL');
  child = undefined;
});

const ask = async (title = 'x') => {
  const { head, body } = await caller.performCall(read, { title });
  return head.status === 200 ? body.title : head.status;
};
const askAll = (count: number, title = 'x') => Promise.all(Array.from({ length: count }, () => ask(title)));

/** Starts another instance as a separate process, and waits until it serves. */
const startOther = async (): Promise<ChildProcess> => {
  const own = { ...envWithoutMigration(fixture, 'course'), LOG_LEVEL: 'silent' };
  const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, ...own };
  const { child: started } = startProgram(process.execPath, [FIXTURE_SERVICE], { env });
  child = started;
  await expect.poll(() => ask(), often).toBe('x');
  return started;
};

describe('Two instances', () => {
  it('get equal shares of the calls of a caller', async () => {
    await startOther();
    // The caller knows an instance from its next heartbeat on.
    const byInstance = async () => Object.groupBy(await askAll(40), String);
    await expect.poll(byInstance, often).toEqual({ x: Array(20).fill('x'), 'here: x': Array(20).fill('here: x') });
  });

  it('continue to serve while one of them is frozen: the other one answers its reads', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    other.kill('SIGCONT');
    await expect.poll(() => ask(), often).toBe('x');
  });

  it('are told apart by their replies: a late reply of one of them is not given to another call', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    expect(await askAll(20, 'old')).toEqual(Array.from({ length: 20 }, () => 'here: old'));
    const held = Promise.withResolvers<void>();
    fixture.service.actions.read = async (_session, title) => {
      if (title === 'new') await held.promise;
      return { title: `here: ${title}` };
    };
    const answers = askAll(12, 'new');
    other.kill('SIGCONT');
    // It first answers the calls that it received while it was frozen.
    await expect.poll(() => ask(), often).toBe('x');
    held.resolve();
    expect(new Set(await answers)).toEqual(new Set(['here: new']));
  });

  it('continue to serve while one of them is killed, and its pending writes have an unknown outcome', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    const writes = Array.from({ length: 10 }, () =>
      caller.performCall(write, { title: 'x' }).catch((error: unknown) => error),
    );
    const reads = askAll(10);
    // The calls have left this process, and the broker has delivered them.
    await nextTurn();
    await caller.bus.nc.flush();
    other.kill('SIGKILL');
    expect(await reads).toEqual(Array.from({ length: 10 }, () => 'here: x'));
    const ends = await Promise.all(writes);
    const unknown = ends.filter((end) => end instanceof Error);
    expect(unknown.length).toBeGreaterThan(0);
    for (const end of unknown) expect(end).toMatchObject({ code: 'outcome_unknown', status: 504 });
  });

  it('answer all calls while one of them stops in order', async () => {
    const second = await fixture.service.start({}, { log });
    const ending = new AbortController();
    const asking = Array.from({ length: 8 }, async () => {
      const found = new Set<unknown>();
      while (!ending.signal.aborted) found.add(await ask());
      return [...found];
    });
    await second.stop();
    ending.abort();
    expect(await Promise.all(asking)).toEqual(asking.map(() => ['here: x']));
  });
});

describe('An instance that lacks a dependency', () => {
  const statusOf = async ({ health }: { health: string }) => (await fetch(`${health}/health/ready`)).status;
  const reportOf = async ({ health }: { health: string }) => (await fetch(`${health}/health/ready`)).json();

  it('gets no calls, logs the reason, and can be stopped', async () => {
    const { DATABASE_URL = '' } = fixture.envFor('course');
    const wrong = new URL(DATABASE_URL);
    wrong.password = 'wrong';
    const stopping = new AbortController();
    const starting = fixture.service.start({ DATABASE_URL: wrong.href }, { log, stop: stopping.signal });
    await expect
      .poll(() => lines.map(({ msg }) => msg), often)
      .toContainEqual(expect.stringMatching(/^not ready: .*password/));
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    stopping.abort();
    const one = await starting;
    expect(await statusOf(one)).toBe(503);
    await one.stop();
  });

  it('leaves after some seconds without the dependency, and joins again when it is back', async () => {
    const one: RunningService = await fixture.service.start({}, { log });
    expect(await reportOf(one)).toMatchObject({
      status: 'ok',
      service: 'course',
      checks: { bus: 'ok', database: 'ok', worker_database: 'ok', schema: 'ok' },
      broker: { version: expect.stringMatching(/^2\./), isolates_accounts: expect.any(Boolean) },
      pool: { waiting: 0 },
      logs: [{ log: 'course', trouble: null }],
    });
    expect(await (await fetch(`${one.health}/health/live`)).json()).toEqual({ status: 'ok' });
    await fixture.sql('revoke select on course.schema_migration from course_app');
    await expect.poll(() => statusOf(one), often).toBe(503);
    expect(await reportOf(one)).toMatchObject({ checks: { database: expect.stringContaining('permission denied') } });
    // Both instances have left.
    await expect
      .poll(() => caller.performCall(read).catch((error: unknown) => error), often)
      .toMatchObject({
        code: 'unavailable',
        message: 'No service answers this call',
      });
    await fixture.sql('grant select on course.schema_migration to course_app');
    await expect.poll(() => statusOf(one), often).toBe(200);
    await expect.poll(() => ask().catch(() => undefined), often).toBe('here: x');
    await one.stop();
  });

  it('does not join before its schema is migrated', async () => {
    await fixture.sql("delete from course.schema_migration where name = '000_machinery_inbox_orgs'");
    const stopping = new AbortController();
    const starting = fixture.service.start({}, { log, stop: stopping.signal });
    await expect
      .poll(() => lines.map(({ msg }) => msg), often)
      .toContainEqual(expect.stringMatching(/^not ready: schema: it lacks 000_machinery_inbox_orgs:/));
    stopping.abort();
    await (await starting).stop();
  });
});
