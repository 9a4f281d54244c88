import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { notNull, p, type Running, startService, statement } from '../src/index.ts';
import { connectCaller, type TestCaller } from './caller.ts';
import { recordingLog } from './log-lines.ts';
import { probeApp } from './probe/app.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote, NOTE } from './fixture-service/note.ts';
import { createFixtureService, type FixtureService } from './fixture-service/fixture-service.ts';
import { startNetworkLink, type NetworkLink } from './network-link.ts';

const soon = { interval: 50 };
const TITLES = statement('select title from note where org_id = $1 order by title', NOTE.pick('title').shape);
const DIVIDE = statement('select 1 / $1::int as one', { one: notNull(p.integer()) });
const SLEEP = statement('select 1 as woken from pg_sleep($1)', { woken: notNull(p.integer()) });

const { lines, log } = recordingLog();
let fixture: Fixture;
let wire: NetworkLink;
let toy: FixtureService;
let probe: Probe;
let stats: Running;
let caller: TestCaller;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  wire = await startNetworkLink(fixture);
  toy = await createFixtureService(fixture);
  probe = await createProbe(fixture);
  await toy.start(wire.env('course'), { log });
  stats = await startService(
    probeApp(() => {}),
    wire.env('stats'),
    { log },
  );
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await toy?.stop();
  await stats?.stop();
  await wire?.proxy.close();
  await fixture?.stop();
});
beforeEach(async () => {
  wire.proxy.heal();
  toy.reset();
  toy.acts.write = async (session, title) => {
    addNote(session, title);
    return { title };
  };
  toy.acts.read = async (session) => ({
    title: (await session.query(TITLES, session.org_id)).map(({ title }) => title).join(),
  });
  await fixture.sql('truncate course.note');
  await isWell();
  lines.length = 0;
});

const write = (title: string, head = {}): Promise<string> =>
  caller.ask(fixtureServiceCalls.write, { title }, head).then(
    ({ body }) => ('code' in body ? String(body.code) : 'done'),
    (error: { code: string }) => error.code,
  );
const read = (): Promise<string> =>
  caller.ask(fixtureServiceCalls.read).then(
    ({ body }) => body.title ?? 'none',
    () => 'nobody',
  );
/** What the test before did to the service is over. */
const isWell = async (): Promise<void> => {
  await expect.poll(read, soon).toBe('');
};
const stored = async (): Promise<string[]> =>
  (await fixture.sql<{ title: string }>('select title from course.note order by title')).map(({ title }) => title);
const told = async (title: string): Promise<number> =>
  (await fixture.sql("select 1 from course.log_entry where data ->> 'title' = $1", [title])).length;

describe('connections that are cut off without a word', () => {
  it('are replaced: calls, numbers, stream, followers and duties are well again', async () => {
    await write('before');
    await expect.poll(probe.titles, soon).toContain('before');
    expect(await read()).toBe('before');
    const term = async () => (await fixture.sql<{ term: number }>('select term::int from course.duty'))[0]?.term ?? 0;
    const former = await term();
    wire.proxy.silence();
    await expect.poll(() => Promise.all([write('after'), read()]), soon).toEqual(['done', expect.any(String)]);
    await expect.poll(read, soon).toContain('after');
    await expect.poll(probe.titles, soon).toContain('after');
    await expect.poll(() => fixture.sql('select 1 from course.log_head where published_no <> no'), soon).toEqual([]);
    expect(await term()).toBeGreaterThan(former);
  });

  it('are given up only when Postgres does nothing for them: a slow statement is waited for', async () => {
    await expect.poll(read, soon).toBe('');
    toy.acts.read = async (session, title) => {
      await session.query(SLEEP, 4);
      return { title };
    };
    expect((await caller.ask(fixtureServiceCalls.read, { title: 'slow' })).body).toEqual({ title: 'slow' });
    expect(lines.filter(({ msg }) => msg.includes('lost'))).toEqual([]);
  });

  it('let go of what their transactions held', async () => {
    const id = randomUUID();
    const row = [fixture.org, id];
    await fixture.sql("insert into course.note values ($1, $2, 'held', 't', 1, now(), now())", row);
    let locked = 0;
    toy.acts.write = async (session, title) => {
      await session.lock(NOTE, id);
      locked += 1;
      if (title === 'first') {
        wire.proxy.silence();
        await session.lock(NOTE, id);
      }
      return { title };
    };
    expect(await write('first')).toBe('unavailable');
    const open = () =>
      fixture.sql(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
    await expect.poll(open, soon).toEqual([]);
    await expect.poll(() => write('second'), soon).toBe('done');
    expect(locked).toBeGreaterThan(1);
  });
});

describe('a statement', () => {
  it('that runs over its caller’s deadline loses its connection, and Postgres ends it', async () => {
    toy.acts.write = async (session, title) => {
      await session.query(SLEEP, 30);
      return { title };
    };
    const sleeping = () =>
      fixture.sql(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep($1)%' and pid <> pg_backend_pid()",
      );
    const late = write('late', { deadline: Date.now() + 500 });
    await expect.poll(sleeping, soon).toHaveLength(1);
    expect(await late).toBe('unavailable');
    await expect.poll(sleeping, soon).toEqual([]);
  });

  it('that waits for a lock gives up before its caller does', async () => {
    const id = randomUUID();
    await fixture.sql("insert into course.note values ($1, $2, 'held', 't', 1, now(), now())", [fixture.org, id]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = 0;
    toy.acts.write = async (session, title) => {
      await session.lock(NOTE, id);
      locked += 1;
      await held;
      return { title };
    };
    const first = write('first');
    await expect.poll(() => locked, soon).toBe(1);
    expect(await write('second')).toBe('unavailable');
    release();
    expect(await first).toBe('done');
  });
});

describe('a COMMIT whose answer is lost', () => {
  it('has an unknown outcome, and may have been stored', async () => {
    await write('warm');
    wire.proxy.cutAfterCommit(1, 'in doubt');
    expect(await write('in doubt')).toBe('outcome_unknown');
    await expect.poll(stored, soon).toEqual(['in doubt', 'warm']);
  });

  it('of a request with an Idempotency-Key is found out: it has one effect, and its answer', async () => {
    await write('warm');
    wire.proxy.cutAfterCommit(1, 'found');
    expect(await write('found', { idempotency_key: randomUUID() })).toBe('done');
    expect([await stored(), await told('found')]).toEqual([['found', 'warm'], 1]);
  });

  it('after a statement had failed is no question: nothing was stored', async () => {
    await write('warm');
    wire.proxy.cutAfterCommit(1, 'failed before');
    toy.acts.write = async (session, title) => {
      addNote(session, title);
      await session.query(DIVIDE, 0).catch(() => {});
      return { title };
    };
    expect(await write('failed before')).toBe('unavailable');
    expect(await stored()).toEqual(['warm']);
  });

  it('of a read that leaves a trace is no more than an answer that did not come', async () => {
    wire.proxy.cutAfterCommit(1, 'a trace');
    toy.acts.audited = async (session, title) => {
      addNote(session, title);
      return { title };
    };
    expect((await caller.ask(fixtureServiceCalls.audited, { title: 'a trace' })).body).toMatchObject({
      code: 'unavailable',
    });
    await expect.poll(stored, soon).toEqual(['a trace']);
  });
});

describe('a connection that is lost before COMMIT', () => {
  it('has stored nothing, and the caller hears so', async () => {
    toy.acts.write = async (session, title) => {
      addNote(session, title);
      await session.query(TITLES, session.org_id);
      wire.proxy.set('cut');
      wire.proxy.heal();
      await session.query(TITLES, session.org_id);
      return { title };
    };
    expect(await write('cut')).toBe('unavailable');
    expect(await stored()).toEqual([]);
  });
});

describe('sessions that are ended under load', () => {
  it('never make an answer `internal`', async () => {
    const answers = { write: new Set<string>(), read: new Set<string>() };
    const state = { over: false };
    const rounds = async (act: () => Promise<void>) => {
      while (!state.over) await act();
    };
    const load = Promise.all(
      Array.from({ length: 8 }, (_, n) => [
        rounds(async () => void answers.write.add(await write(`${n}`))),
        rounds(async () => void answers.read.add(String((await caller.ask(fixtureServiceCalls.read)).head.status))),
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
          soon,
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
