import { randomUUID } from 'node:crypto';
import { courseEvents } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type Job, type Running, startService, statement } from '../src/index.ts';
import { runAsLeader, type Lease, runTogether } from '../src/ops/lease.ts';
import { recordingLog } from './log-lines.ts';
import { echoCalls, fixtureServiceApp } from './fixture-service/app.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';
import { startNetworkLink } from './network-link.ts';

const soon = { interval: 20 };
const DUTY = 'a duty of a test';

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

/** Wants to lead; answers what it has led so far. */
const contend = (
  work: (lease: Lease) => Promise<void>,
  url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '',
): { terms: number[]; stop: () => Promise<void> } => {
  const terms: number[] = [];
  const stopping = new AbortController();
  const ended = runAsLeader({ address: url, name: DUTY, log: recordingLog().log, stop: stopping.signal }, (lease) => {
    terms.push(lease.term);
    return work(lease);
  });
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
      `${DUTY} lease`,
    ])
  ).map(({ pid }) => pid);
const untilLost = ({ signal }: Lease): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('a lease', () => {
  it('is one contender’s at a time; when its connection is lost, the work ends and another term begins', async () => {
    const work = { under_way: 0, most: 0 };
    const counted = async (lease: Lease): Promise<void> => {
      work.under_way += 1;
      work.most = Math.max(work.most, work.under_way);
      await untilLost(lease);
      work.under_way -= 1;
    };
    const both = [contend(counted), contend(counted)];
    const terms = (): number[] => both.flatMap((one) => one.terms).toSorted((a, b) => a - b);
    await expect.poll(terms, soon).toHaveLength(1);
    await fixture.sql('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      `${DUTY} lease`,
    ]);
    await expect.poll(terms, soon).toHaveLength(2);
    const [first = 0, second = 0] = terms();
    expect(second).toBe(first + 1);
    expect(work.most).toBe(1);
  });

  it('is had again after its connection was cut off without a word', async () => {
    const wire = await startNetworkLink(fixture);
    const url = wire.env('course')['WORKER_DATABASE_URL'];
    const order: string[] = [];
    const one = contend(async (lease) => {
      order.push('begins');
      await untilLost(lease);
      order.push('ends');
    }, url);
    await expect.poll(() => one.terms, soon).toHaveLength(1);
    wire.proxy.silence();
    // Sooner than Postgres ends the session that holds it, after 8 s of silence.
    await expect.poll(() => one.terms, { timeout: 6_500 }).toHaveLength(2);
    expect(order).toEqual(['begins', 'ends', 'begins']);
    // The session that had held it is gone, too.
    expect(await leaseSessions()).toHaveLength(1);
    await one.stop();
    await wire.proxy.close();
  });

  it('costs one connection for each who wants it, and always the same', async () => {
    const all = [contend(untilLost), contend(untilLost), contend(untilLost)];
    await expect.poll(() => all.flatMap(({ terms }) => terms), soon).toHaveLength(1);
    await expect.poll(leaseSessions, soon).toHaveLength(3);
    const sessions = await leaseSessions();
    const asked = new Set<string>();
    // Those that wait have asked several times.
    await expect
      .poll(async () => {
        for (const { at } of await fixture.sql<{ at: string }>(
          `select query_start::text as at from pg_stat_activity where application_name = $1 and query like '%try_advisory%'`,
          [`${DUTY} lease`],
        ))
          asked.add(at);
        return asked.size;
      }, soon)
      .toBeGreaterThan(6);
    expect(await leaseSessions()).toEqual(sessions);
  });

  it('is handed on when its holder stops', async () => {
    const one = contend(untilLost);
    await expect.poll(() => one.terms, soon).toHaveLength(1);
    const other = contend(untilLost);
    await one.stop();
    await expect.poll(() => other.terms, soon).toHaveLength(1);
  });

  it('is given up when one of its duties fails, after the others have ended', async () => {
    const order: string[] = [];
    const duties = runTogether(
      async () => {
        throw new Error('cannot go on');
      },
      async (lease) => {
        await untilLost(lease);
        order.push('the other has ended');
      },
    );
    const one = contend(async (lease) => {
      order.push('begins');
      await duties(lease);
    });
    await expect.poll(() => one.terms.length, soon).toBe(2);
    expect(order.slice(0, 3)).toEqual(['begins', 'the other has ended', 'begins']);
  });
});

describe('a job', () => {
  const TICK = statement('insert into ticked (by) values ($1)');
  const ticks = async (by: string): Promise<number> =>
    (await fixture.sql<{ n: number }>('select count(*)::int as n from course.ticked where by = $1', [by]))[0]?.n ?? 0;
  const start = async (job: Job, { log } = recordingLog()): Promise<Running> => {
    const toy = fixtureServiceApp(echoCalls);
    const app = { ...toy, modules: [...toy.modules, { routes: [], jobs: [job] }] };
    const one = await startService(app, envWithoutMigration(fixture, 'course'), { log });
    stops.push(() => one.stop());
    return one;
  };

  it('that fails stores nothing, says so, and is run again', async () => {
    const kept = recordingLog();
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
    await start(job, kept);
    await expect.poll(() => ticks('run 2'), soon).toBe(1);
    expect(await ticks('run 1')).toBe(0);
    expect(kept.lines.filter(({ msg }) => msg === 'job failed')).toMatchObject([
      { job: 'shaky', err: { message: 'not this time' } },
    ]);
  });

  it('that tells more than an event’s contract names fails under CHECK_REPLIES', async () => {
    const kept = recordingLog();
    const id = randomUUID();
    const more = { id, more: 1 };
    const origin = { org_id: fixture.org, user_id: 'job', request_id: randomUUID() };
    const run: Job['run'] = async (tx) => tx.emit(origin, courseEvents.courseDeleted, id, more);
    await start({ name: 'talkative', every_ms: 20, run }, kept);
    await expect.poll(() => kept.lines.map(({ msg }) => msg), soon).toContain('job failed');
    expect(await fixture.told('course', 'course.course.deleted')).toEqual([]);
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
    await expect.poll(() => ticks('late'), soon).toBeGreaterThan(0);
    // Somebody else leads, and this one does not know it yet.
    await fixture.sql("update course.duty set term = term + 1 where name = 'course'");
    const then = [runs, await ticks('late')];
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([runs, await ticks('late')]).toEqual(then);
  });

  it('is run by one instance at a time', async () => {
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
    await expect.poll(() => running.runs, soon).toBeGreaterThan(10);
    expect(running.most).toBe(1);
  });
});
