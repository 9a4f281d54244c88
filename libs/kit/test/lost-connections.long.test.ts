import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { notNull, p, type Running, startService, statement } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { probeApp } from './probe/probe-app.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote, NOTE } from './fixture-service/note.ts';
import { createFixtureService, type FixtureService } from './fixture-service/fixture-service.ts';
import { startNetworkLink, type NetworkLink } from './network-link.ts';

const often = { interval: 50 };
const TITLES = statement('select title from note where org_id = $1 order by title', NOTE.pick('title').shape);
const DIVIDE = statement('select 1 / $1::int as one', { one: notNull(p.integer()) });
const SLEEP = statement('select 1 as woken from pg_sleep($1)', { woken: notNull(p.integer()) });

const { lines, log } = recordingLog();
let fixture: Fixture;
let link: NetworkLink;
let service: FixtureService;
let probe: Probe;
let stats: Running;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  link = await startNetworkLink(fixture);
  service = await createFixtureService(fixture);
  probe = await createProbe(fixture);
  await service.start(link.envFor('course'), { log });
  stats = await startService(
    probeApp(() => {}),
    link.envFor('stats'),
    { log },
  );
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await service?.stop();
  await stats?.stop();
  await link?.proxy.close();
  await fixture?.stop();
});
beforeEach(async () => {
  link.proxy.heal();
  service.reset();
  service.actions.write = async (session, title) => {
    addNote(session, title);
    return { title };
  };
  service.actions.read = async (session) => ({
    title: (await session.query(TITLES, session.org_id)).map(({ title }) => title).join(),
  });
  await fixture.sql('truncate course.note');
  await untilHealthy();
  lines.length = 0;
});

const write = (title: string, head = {}): Promise<string> =>
  caller.performCall(fixtureServiceCalls.write, { title }, head).then(
    ({ body }) => ('code' in body ? String(body.code) : 'done'),
    (error: { code: string }) => error.code,
  );
const read = (): Promise<string> =>
  caller.performCall(fixtureServiceCalls.read).then(
    ({ body }) => body.title ?? 'none',
    () => 'nobody',
  );
/** Waits until the service has recovered from the previous test. */
const untilHealthy = async (): Promise<void> => {
  await expect.poll(read, often).toBe('');
};
const stored = async (): Promise<string[]> =>
  (await fixture.sql<{ title: string }>('select title from course.note order by title')).map(({ title }) => title);
const eventCount = async (title: string): Promise<number> =>
  (await fixture.sql("select 1 from course.log_entry where data ->> 'title' = $1", [title])).length;

describe('Connections that are cut off without a close', () => {
  it('are replaced: calls, numbering, stream, followers and leases work again', async () => {
    await write('before');
    await expect.poll(probe.titles, often).toContain('before');
    expect(await read()).toBe('before');
    const term = async () => (await fixture.sql<{ term: number }>('select term::int from course.duty'))[0]?.term ?? 0;
    const former = await term();
    link.proxy.silence();
    await expect.poll(() => Promise.all([write('after'), read()]), often).toEqual(['done', expect.any(String)]);
    await expect.poll(read, often).toContain('after');
    await expect.poll(probe.titles, often).toContain('after');
    await expect.poll(() => fixture.sql('select 1 from course.log_head where published_no <> no'), often).toEqual([]);
    expect(await term()).toBeGreaterThan(former);
  });

  it('are destroyed only if Postgres does not work for them: a slow statement is waited for', async () => {
    await expect.poll(read, often).toBe('');
    service.actions.read = async (session, title) => {
      await session.query(SLEEP, 4);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.read, { title: 'slow' })).body).toEqual({ title: 'slow' });
    expect(lines.filter(({ msg }) => msg.includes('lost'))).toEqual([]);
  });

  it('release the locks of their transactions', async () => {
    const id = randomUUID();
    const row = [fixture.org, id];
    await fixture.sql("insert into course.note values ($1, $2, 'held', 't', 1, now(), now())", row);
    let locked = 0;
    service.actions.write = async (session, title) => {
      await session.lock(NOTE, id);
      locked += 1;
      if (title === 'first') {
        link.proxy.silence();
        await session.lock(NOTE, id);
      }
      return { title };
    };
    expect(await write('first')).toBe('unavailable');
    const open = () =>
      fixture.sql(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
    await expect.poll(open, often).toEqual([]);
    await expect.poll(() => write('second'), often).toBe('done');
    expect(locked).toBeGreaterThan(1);
  });
});

describe('A statement', () => {
  it('that exceeds its caller’s deadline loses its connection, and Postgres cancels it', async () => {
    service.actions.write = async (session, title) => {
      await session.query(SLEEP, 30);
      return { title };
    };
    const sleeping = () =>
      fixture.sql(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep($1)%' and pid <> pg_backend_pid()",
      );
    const late = write('late', { deadline: performance.now() + 500 });
    await expect.poll(sleeping, often).toHaveLength(1);
    expect(await late).toBe('unavailable');
    await expect.poll(sleeping, often).toEqual([]);
  });

  it('that waits for a lock fails before its caller’s deadline', async () => {
    const id = randomUUID();
    await fixture.sql("insert into course.note values ($1, $2, 'held', 't', 1, now(), now())", [fixture.org, id]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = 0;
    service.actions.write = async (session, title) => {
      await session.lock(NOTE, id);
      locked += 1;
      await held;
      return { title };
    };
    const first = write('first');
    await expect.poll(() => locked, often).toBe(1);
    expect(await write('second')).toBe('unavailable');
    release();
    expect(await first).toBe('done');
  });
});

describe('A COMMIT whose answer is lost', () => {
  it('has an unknown outcome, and may have been stored', async () => {
    await write('warm');
    link.proxy.cutAfterCommit(1, 'in doubt');
    expect(await write('in doubt')).toBe('outcome_unknown');
    await expect.poll(stored, often).toEqual(['in doubt', 'warm']);
  });

  it('of a request with an Idempotency-Key is resolved: the request has one effect and gets its answer', async () => {
    await write('warm');
    link.proxy.cutAfterCommit(1, 'found');
    expect(await write('found', { idempotency_key: randomUUID() })).toBe('done');
    expect([await stored(), await eventCount('found')]).toEqual([['found', 'warm'], 1]);
  });

  it('after a failed statement has a known outcome: nothing was stored', async () => {
    await write('warm');
    link.proxy.cutAfterCommit(1, 'failed before');
    service.actions.write = async (session, title) => {
      addNote(session, title);
      await session.query(DIVIDE, 0).catch(() => {});
      return { title };
    };
    expect(await write('failed before')).toBe('unavailable');
    expect(await stored()).toEqual(['warm']);
  });

  it('of an audited read has no unknown outcome: the read is unavailable', async () => {
    link.proxy.cutAfterCommit(1, 'audited');
    service.actions.audited = async (session, title) => {
      addNote(session, title);
      return { title };
    };
    expect((await caller.performCall(fixtureServiceCalls.audited, { title: 'audited' })).body).toMatchObject({
      code: 'unavailable',
    });
    await expect.poll(stored, often).toEqual(['audited']);
  });
});

describe('A connection that is lost before COMMIT', () => {
  it('has stored nothing, and the caller gets `unavailable`', async () => {
    service.actions.write = async (session, title) => {
      addNote(session, title);
      await session.query(TITLES, session.org_id);
      link.proxy.set('cut');
      link.proxy.heal();
      await session.query(TITLES, session.org_id);
      return { title };
    };
    expect(await write('cut')).toBe('unavailable');
    expect(await stored()).toEqual([]);
  });
});

describe('Database sessions that are terminated under load', () => {
  it('never cause the error code `internal`', async () => {
    const answers = { write: new Set<string>(), read: new Set<string>() };
    const state = { over: false };
    const rounds = async (work: () => Promise<void>) => {
      while (!state.over) await work();
    };
    const load = Promise.all(
      Array.from({ length: 8 }, (_, n) => [
        rounds(async () => void answers.write.add(await write(`${n}`))),
        rounds(
          async () => void answers.read.add(String((await caller.performCall(fixtureServiceCalls.read)).head.status)),
        ),
      ]).flat(),
    );
    for (let n = 0; n < 20; n += 1) {
      await fixture.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name in ('course', 'course read')",
      );
      await expect
        .poll(
          () =>
            fixture.sql(
              "select 1 from pg_stat_activity where datname = current_database() and application_name = 'course'",
            ),
          often,
        )
        .not.toEqual([]);
    }
    state.over = true;
    await load;
    expect(answers.write).toContain('done');
    expect([...answers.write].filter((code) => !['done', 'unavailable', 'outcome_unknown'].includes(code))).toEqual([]);
    expect([...answers.read].filter((status) => status !== '200' && status !== '503')).toEqual([]);
  });
});
