import { randomUUID } from 'node:crypto';
import { courseEvents } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type Job, type Running, startService, statement } from '../src/index.ts';
import { runAsLeader, type Lease, runTogether } from '../src/ops/lease.ts';
import { recordingLog } from './recording-log.ts';
import { echoActions, fixtureServiceApp } from './fixture-service/fixture-service-app.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';
import { startNetworkLink } from './network-link.ts';

const often = { interval: 20 };
const LEASE_NAME = 'lease of a test';

let fixture: Fixture;
let stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await fixture.sql(
    'create table course.ticked (by text, at timestamptz default now()); grant all on course.ticked to course_worker',
  );
});
afterAll(() => fixture?.stop());
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

/** Contends for the lease. `terms`: the terms in which it has held the lease. */
const contend = (
  work: (lease: Lease) => Promise<void>,
  url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '',
): { terms: number[]; stop: () => Promise<void> } => {
  const terms: number[] = [];
  const stopping = new AbortController();
  const ended = runAsLeader(
    { address: url, name: LEASE_NAME, log: recordingLog().log, stop: stopping.signal },
    (lease) => {
      terms.push(lease.term);
      return work(lease);
    },
  );
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  stops.push(stop);
  return { terms, stop };
};
const leaseSessions = async (): Promise<number[]> =>
  (
    await fixture.sql<{ pid: number }>('select pid from pg_stat_activity where application_name = $1 order by pid', [
      `${LEASE_NAME} lease`,
    ])
  ).map(({ pid }) => pid);
const untilLost = ({ signal }: Lease): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('A lease', () => {
  it('has one holder at a time; when its connection is lost, the work ends and another term begins', async () => {
    const work = { running: 0, most: 0 };
    const counted = async (lease: Lease): Promise<void> => {
      work.running += 1;
      work.most = Math.max(work.most, work.running);
      await untilLost(lease);
      work.running -= 1;
    };
    const both = [contend(counted), contend(counted)];
    const terms = (): number[] => both.flatMap((one) => one.terms).toSorted((a, b) => a - b);
    await expect.poll(terms, often).toHaveLength(1);
    await fixture.sql('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      `${LEASE_NAME} lease`,
    ]);
    await expect.poll(terms, often).toHaveLength(2);
    const [first = 0, second = 0] = terms();
    expect(second).toBe(first + 1);
    expect(work.most).toBe(1);
  });

  it('is held again after its connection was cut off without a close', async () => {
    const wire = await startNetworkLink(fixture);
    const url = wire.envFor('course')['WORKER_DATABASE_URL'];
    const order: string[] = [];
    const one = contend(async (lease) => {
      order.push('begins');
      await untilLost(lease);
      order.push('ends');
    }, url);
    await expect.poll(() => one.terms, often).toHaveLength(1);
    wire.proxy.silence();
    // Sooner than Postgres ends the session of the holder, after 8 s of silence.
    await expect.poll(() => one.terms, { timeout: 6_500 }).toHaveLength(2);
    expect(order).toEqual(['begins', 'ends', 'begins']);
    // The session of the former holder has ended.
    expect(await leaseSessions()).toHaveLength(1);
    await one.stop();
    await wire.proxy.close();
  });

  it('uses one connection for each contender, and always the same one', async () => {
    const all = [contend(untilLost), contend(untilLost), contend(untilLost)];
    await expect.poll(() => all.flatMap(({ terms }) => terms), often).toHaveLength(1);
    await expect.poll(leaseSessions, often).toHaveLength(3);
    const sessions = await leaseSessions();
    const attempts = new Set<string>();
    // The waiting contenders have tried several times.
    await expect
      .poll(async () => {
        for (const { at } of await fixture.sql<{ at: string }>(
          `select query_start::text as at from pg_stat_activity where application_name = $1 and query like '%try_advisory%'`,
          [`${LEASE_NAME} lease`],
        ))
          attempts.add(at);
        return attempts.size;
      }, often)
      .toBeGreaterThan(6);
    expect(await leaseSessions()).toEqual(sessions);
  });

  it('is taken by another contender when its holder stops', async () => {
    const one = contend(untilLost);
    await expect.poll(() => one.terms, often).toHaveLength(1);
    const other = contend(untilLost);
    await one.stop();
    await expect.poll(() => other.terms, often).toHaveLength(1);
  });

  it('is released when one of the leader jobs fails, after the others have ended', async () => {
    const order: string[] = [];
    const jobs = runTogether(
      async () => {
        throw new Error('cannot continue');
      },
      async (lease) => {
        await untilLost(lease);
        order.push('the other has ended');
      },
    );
    const one = contend(async (lease) => {
      order.push('begins');
      await jobs(lease);
    });
    await expect.poll(() => one.terms.length, often).toBe(2);
    expect(order.slice(0, 3)).toEqual(['begins', 'the other has ended', 'begins']);
  });
});

describe('A job', () => {
  const TICK = statement('insert into ticked (by) values ($1)');
  const ticks = async (by: string): Promise<number> =>
    (await fixture.sql<{ n: number }>('select count(*)::int as n from course.ticked where by = $1', [by]))[0]?.n ?? 0;
  const start = async (job: Job, { log } = recordingLog()): Promise<Running> => {
    const service = fixtureServiceApp(echoActions);
    const app = { ...service, modules: [...service.modules, { routes: [], jobs: [job] }] };
    const one = await startService(app, envWithoutMigration(fixture, 'course'), { log });
    stops.push(() => one.stop());
    return one;
  };

  it('that fails stores nothing, is logged, and runs again', async () => {
    const recorded = recordingLog();
    let runs = 0;
    const job: Job = {
      name: 'shaky',
      every_ms: 20,
      run: async (tx) => {
        runs += 1;
        tx.run(TICK, `run ${runs}`);
        if (runs === 1) throw new Error('not this time');
      },
    };
    await start(job, recorded);
    await expect.poll(() => ticks('run 2'), often).toBe(1);
    expect(await ticks('run 1')).toBe(0);
    expect(recorded.lines.filter(({ msg }) => msg === 'job failed')).toMatchObject([
      { job: 'shaky', err: { message: 'not this time' } },
    ]);
  });

  it('that emits an event with more fields than its contract declares fails under CHECK_REPLIES', async () => {
    const recorded = recordingLog();
    const id = randomUUID();
    const more = { id, more: 1 };
    const origin = { org_id: fixture.org, user_id: 'job', request_id: randomUUID() };
    const run: Job['run'] = async (tx) => tx.emit(origin, courseEvents.courseDeleted, id, more);
    await start({ name: 'talkative', every_ms: 20, run }, recorded);
    await expect.poll(() => recorded.lines.map(({ msg }) => msg), often).toContain('job failed');
    expect(await fixture.events('course', 'course.course.deleted')).toEqual([]);
  });

  it('of a former leader changes nothing', async () => {
    let runs = 0;
    const job: Job = {
      name: 'late',
      every_ms: 20,
      run: async (tx) => {
        runs += 1;
        tx.run(TICK, 'late');
      },
    };
    await start(job);
    await expect.poll(() => ticks('late'), often).toBeGreaterThan(0);
    // Another instance leads, and this one does not know it yet.
    await fixture.sql("update course.duty set term = term + 1 where name = 'course'");
    const before = [runs, await ticks('late')];
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([runs, await ticks('late')]).toEqual(before);
  });

  it('runs in one instance at a time', async () => {
    const running = { now: 0, most: 0, runs: 0 };
    const job: Job = {
      name: 'alone',
      every_ms: 5,
      run: async () => {
        running.now += 1;
        running.runs += 1;
        running.most = Math.max(running.most, running.now);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running.now -= 1;
      },
    };
    await Promise.all([start(job), start(job), start(job)]);
    await expect.poll(() => running.runs, often).toBeGreaterThan(10);
    expect(running.most).toBe(1);
  });
});
