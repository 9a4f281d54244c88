import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningService } from '../src/index.ts';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { startProgram } from '@teaching/local/program.ts';
import { connectCaller, type TestCaller } from './caller.ts';
import { recordingLog } from './log-lines.ts';
import {
  envWithoutMigration,
  startFixtureService,
  type FixtureServiceSystem,
} from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';

const TOY = fileURLToPath(new URL('fixture-service/main.ts', import.meta.url));
const soon = { interval: 20 };
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
/** The instance of this process says so in its answers; another process gives back what it gets. */
beforeEach(() => {
  lines.length = 0;
  fixture.toy.reset();
  fixture.toy.acts.read = fixture.toy.acts.write = async (_session, title) => ({ title: `here: ${title}` });
});
afterEach(() => {
  child?.kill('SIGCONT');
  child?.kill('SIGKILL');
  child = undefined;
});

const ask = async (title = 'x') => {
  const { head, body } = await caller.ask(read, { title });
  return head.status === 200 ? body.title : head.status;
};
const askAll = (count: number, title = 'x') => Promise.all(Array.from({ length: count }, () => ask(title)));

/** Another instance, as a process of its own that takes part. */
const startOther = async (): Promise<ChildProcess> => {
  const own = { ...envWithoutMigration(fixture, 'course'), LOG_LEVEL: 'silent' };
  const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, ...own };
  const { child: started } = startProgram(process.execPath, [TOY], { env });
  child = started;
  await expect.poll(() => ask(), soon).toBe('x');
  return started;
};

describe('two instances', () => {
  it('are both asked, the one with less to do first', async () => {
    await startOther();
    // The caller knows each of them from its next heartbeat on.
    const byInstance = async () => Object.groupBy(await askAll(40), String);
    await expect.poll(byInstance, soon).toEqual({ x: Array(20).fill('x'), 'here: x': Array(20).fill('here: x') });
  });

  it('serve on while one of them stands still: what it was asked to read, the other one answers', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    other.kill('SIGCONT');
    await expect.poll(() => ask(), soon).toBe('x');
  });

  it('are not taken for each other: what one of them answers too late is given to nobody else', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    expect(await askAll(20, 'old')).toEqual(Array.from({ length: 20 }, () => 'here: old'));
    const held = Promise.withResolvers<void>();
    fixture.toy.acts.read = async (_session, title) => {
      if (title === 'new') await held.promise;
      return { title: `here: ${title}` };
    };
    const asked = askAll(12, 'new');
    other.kill('SIGCONT');
    // It answers what it was asked meanwhile first.
    await expect.poll(() => ask(), soon).toBe('x');
    held.resolve();
    expect(new Set(await asked)).toEqual(new Set(['here: new']));
  });

  it('serve on while one of them is killed, and of a write it had nobody knows the end', async () => {
    const other = await startOther();
    other.kill('SIGSTOP');
    const writes = Array.from({ length: 10 }, () => caller.ask(write, { title: 'x' }).catch((error: unknown) => error));
    const reads = askAll(10);
    // What it was asked has left this process and its broker.
    await nextTurn();
    await caller.bus.nc.flush();
    other.kill('SIGKILL');
    expect(await reads).toEqual(Array.from({ length: 10 }, () => 'here: x'));
    const ends = await Promise.all(writes);
    const unknown = ends.filter((end) => end instanceof Error);
    expect(unknown.length).toBeGreaterThan(0);
    for (const end of unknown) expect(end).toMatchObject({ code: 'outcome_unknown', status: 504 });
  });

  it('lose nothing when one of them stops in order, however it is asked meanwhile', async () => {
    const second = await fixture.toy.start({}, { log });
    const over = new AbortController();
    const asking = Array.from({ length: 8 }, async () => {
      const found = new Set<unknown>();
      while (!over.signal.aborted) found.add(await ask());
      return [...found];
    });
    await second.stop();
    over.abort();
    expect(await Promise.all(asking)).toEqual(asking.map(() => ['here: x']));
  });
});

describe('an instance that lacks what it needs', () => {
  const statusOf = async ({ health }: { health: string }) => (await fetch(`${health}/health/ready`)).status;
  const reportOf = async ({ health }: { health: string }) => (await fetch(`${health}/health/ready`)).json();

  it('is asked nothing, says why, and is told to stop all the same', async () => {
    const { DATABASE_URL = '' } = fixture.envFor('course');
    const wrong = new URL(DATABASE_URL);
    wrong.password = 'wrong';
    const stopping = new AbortController();
    const starting = fixture.toy.start({ DATABASE_URL: wrong.href }, { log, stop: stopping.signal });
    await expect
      .poll(() => lines.map(({ msg }) => msg), soon)
      .toContainEqual(expect.stringMatching(/^not ready: .*password/));
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'here: x'));
    stopping.abort();
    const one = await starting;
    expect(await statusOf(one)).toBe(503);
    await one.stop();
  });

  it('leaves when it has lost it for some seconds, and comes back', async () => {
    const one: RunningService = await fixture.toy.start({}, { log });
    expect(await reportOf(one)).toMatchObject({
      status: 'ok',
      service: 'course',
      checks: { bus: 'ok', database: 'ok', worker_database: 'ok', schema: 'ok' },
      pool: { waiting: 0 },
      logs: [{ log: 'course', trouble: null }],
    });
    expect(await (await fetch(`${one.health}/health/live`)).json()).toEqual({ status: 'ok' });
    await fixture.sql('revoke select on course.schema_migration from course_app');
    await expect.poll(() => statusOf(one), soon).toBe(503);
    expect(await reportOf(one)).toMatchObject({ checks: { database: expect.stringContaining('permission denied') } });
    // Both instances have left.
    await expect
      .poll(() => caller.ask(read).catch((error: unknown) => error), soon)
      .toMatchObject({
        code: 'unavailable',
        message: 'No service answers this call',
      });
    await fixture.sql('grant select on course.schema_migration to course_app');
    await expect.poll(() => statusOf(one), soon).toBe(200);
    await expect.poll(() => ask().catch(() => undefined), soon).toBe('here: x');
    await one.stop();
  });

  it('does not take part before its schema is there', async () => {
    await fixture.sql("delete from course.schema_migration where name = '000_machinery_inbox_orgs'");
    const stopping = new AbortController();
    const starting = fixture.toy.start({}, { log, stop: stopping.signal });
    await expect
      .poll(() => lines.map(({ msg }) => msg), soon)
      .toContainEqual(expect.stringMatching(/^not ready: schema: it lacks 000_machinery_inbox_orgs:/));
    stopping.abort();
    await (await starting).stop();
  });
});
