import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { Connection } from '../src/db/connection.ts';
import { queryRows } from '../src/db/database-client.ts';
import { databaseFault, faultKindOf, OutcomeUnknown } from '../src/db/database-fault.ts';
import { createPool, REQUEST_SETTINGS } from '../src/db/pool.ts';
import { notNull, createLogger, p, statement } from '../src/index.ts';
import { urlThroughPort } from './network-link.ts';

const ADD = statement('insert into note (id, at) values ($1, now())');
const ADD_MORE = statement('insert into note (id, at) select $1::int + 1, now() returning id', {
  id: notNull(p.integer()),
});
/** Sent by one test only. */
const NEVER_PREPARED = statement('insert into note (id, at) values ($1, now() + interval $$1 s$$)');
const DIVIDE = statement('select 1 / $1::int as quotient', { quotient: notNull(p.integer()) });
const IDS = statement('select id, at from note order by id', { id: notNull(p.integer()), at: notNull(p.text()) });
const ORG = statement(`select coalesce(current_setting('app.org_id', true), '') as org`, { org: notNull(p.text()) });

const log = createLogger('test', 'silent');
let fixture: Fixture;
let pool: pg.Pool;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await fixture.sql('create table course.note (id int primary key, at timestamptz not null)');
  await fixture.sql('create table course.said (seq int generated always as identity, what text not null)');
  await fixture.sql('grant select, insert on course.note, course.said to course_app, course_worker');
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  // One connection, so that whoever comes later finds what was left on it.
  pool = createPool(fixture.envFor('course')['DATABASE_URL'] ?? '', 1, 'test', log, REQUEST_SETTINGS);
  await fixture.sql('truncate course.note');
});
afterEach(async () => {
  // A test that fails leaves them as they are.
  for (const connection of open.splice(0)) await connection.abandon();
  await pool.end();
});

const org_id = randomUUID();
const open: Connection[] = [];
const begun = (): Connection => {
  const connection = new Connection(pool, { org_id }, true);
  open.push(connection);
  return connection;
};
const stored = async (): Promise<number[]> => (await queryRows(pool, IDS)).map(({ id }) => id);
const DIVISION_BY_ZERO = { code: '22012' };

it('rows are what they are, whether a statement was ever asked for them before', async () => {
  for (const id of [1, 3, 5]) {
    const connection = begun();
    connection.run(ADD_MORE, [id]);
    await nextTurn();
    const [at] = await connection.query(IDS, []);
    expect(at).toEqual({ id: 2, at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/) });
    expect(await connection.query(ADD_MORE, [id + 1])).toEqual([{ id: id + 2 }]);
    await connection.commit();
  }
});

describe('behind a statement that fails', () => {
  it('nothing is done in its turn or later, and each says what failed', async () => {
    const connection = begun();
    connection.run(ADD, [1]);
    const failed = connection.query(DIVIDE, [0]);
    const behind = connection.query(ADD_MORE, [1]);
    await expect(failed).rejects.toMatchObject(DIVISION_BY_ZERO);
    await expect(behind).rejects.toMatchObject(DIVISION_BY_ZERO);
    await expect(connection.query(IDS, [])).rejects.toMatchObject(DIVISION_BY_ZERO);
    connection.run(ADD, [3]);
    await expect(connection.commit()).rejects.toMatchObject(DIVISION_BY_ZERO);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['in the turn of the commit', false],
    ['in a turn before it', true],
  ])('that nobody waits for, %s, there is no commit', async (_, isBefore) => {
    const connection = begun();
    connection.run(ADD, [1]);
    connection.run(DIVIDE, [0]);
    if (isBefore) await nextTurn();
    await expect(connection.commit()).rejects.toMatchObject(DIVISION_BY_ZERO);
    expect(await stored()).toEqual([]);
  });

  it('whoever comes next can use the connection, and whatever was never prepared since', async () => {
    for (let n = 0; n < 2; n += 1) {
      const connection = begun();
      connection.run(DIVIDE, [0]);
      connection.run(ADD, [1]);
      await connection.abandon();
      const late = begun();
      const failed = late.query(DIVIDE, [0]);
      late.run(ADD_MORE, [1]);
      await expect(failed).rejects.toMatchObject(DIVISION_BY_ZERO);
      await late.abandon();
    }
    const next = begun();
    next.run(ADD, [1]);
    expect(await next.query(ADD_MORE, [1])).toEqual([{ id: 2 }]);
    expect(await next.query(DIVIDE, [1])).toEqual([{ quotient: 1 }]);
    await next.commit();
    expect(await stored()).toEqual([1, 2]);
    expect(pool.totalCount).toBe(1);
  });
});

it('a transaction leaves nothing of its organization on its connection', async () => {
  const ends = [
    (connection: Connection) => connection.commit(),
    (connection: Connection) => connection.abandon(),
    (connection: Connection) => connection.query(DIVIDE, [0]).catch(() => connection.abandon()),
  ];
  for (const end of ends) {
    const connection = begun();
    expect(await connection.query(ORG, [])).toEqual([{ org: org_id }]);
    await end(connection);
    expect(await queryRows(pool, ORG)).toEqual([{ org: '' }]);
  }
});

it('what is said after the end is not sent, whether it was kept or given up', async () => {
  for (const end of [(one: Connection) => one.commit(), (one: Connection) => one.abandon()]) {
    const connection = begun();
    await connection.query(IDS, []);
    const ended = end(connection);
    await nextTurn();
    await expect(connection.query(ADD, [1])).rejects.toThrow('over');
    await ended;
    connection.run(ADD, [2]);
    await nextTurn();
    expect(await stored()).toEqual([]);
  }
});

it('stores nothing of a transaction that is abandoned, nor what was sent in the turn of its end', async () => {
  const connection = begun();
  await connection.query(IDS, []);
  connection.run(ADD, [1]);
  await connection.abandon();
  const unopened = begun();
  const late = unopened.query(ADD_MORE, [1]);
  await Promise.all([unopened.abandon(), expect(late).rejects.toThrow('over')]);
  expect(await stored()).toEqual([]);
});

it('what cannot be sent is told to whoever says it, and is in nobody’s way', async () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const connection = begun();
  connection.run(ADD, [1]);
  expect(() => connection.run(ADD, [ring])).toThrow('circular');
  await expect(connection.query(ADD_MORE, [ring])).rejects.toThrow('circular');
  expect(await connection.query(ADD_MORE, [1])).toEqual([{ id: 2 }]);
  await connection.commit();
  expect(await stored()).toEqual([1, 2]);
});

it('what nobody waited for and came too late to be sent is not missing in a commit, though the clock goes back', async () => {
  const connection = new Connection(pool, { org_id }, true, Date.now() + 60_000);
  open.push(connection);
  await connection.query(IDS, []);
  connection.run(ADD, [1]);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000);
  connection.run(ADD, [2]);
  clock.mockRestore();
  await expect(connection.commit()).rejects.toMatchObject({ code: 'timeout' });
  await connection.abandon();
  expect(await stored()).toEqual([]);
});

describe('the order of statements', () => {
  const SAY = statement('insert into said (what) values ($1)');
  const SAY_AND_HEAR = statement('insert into said (what) values ($1) returning what', { what: notNull(p.text()) });
  const SAID = statement('select what from said order by seq', { what: notNull(p.text()) });

  it('is that of the calls, from wherever they are made and while the connection is being opened', async () => {
    await fixture.sql('truncate course.said');
    const connection = begun();
    const called: string[] = [];
    const note = (what: string): string => {
      called.push(what);
      return what;
    };
    const run = (what: string): void => connection.run(SAY, [note(what)]);
    const ask = (what: string) => connection.query(SAY_AND_HEAR, [note(what)]);
    const microtasks = async (name: string, depth: number): Promise<void> => {
      for (let n = 0; n < depth; n += 1) {
        run(`${name} ${n}`);
        await Promise.resolve();
        await ask(`${name} ${n} asked`);
      }
    };
    run('first');
    const all: Promise<unknown>[] = [ask('second'), microtasks('a', 3), microtasks('b', 5)];
    process.nextTick(() => run('tick'));
    all.push(ask('third').then(() => run('after an answer')));
    for (let n = 0; n < 20; n += 1) {
      await (n % 2 === 0 ? nextTurn() : Promise.resolve());
      run(`turn ${n}`);
    }
    await Promise.all(all);
    run('last');
    await connection.commit();
    expect((await queryRows(pool, SAID)).map(({ what }) => what)).toEqual(called);
    expect(called.length).toBeGreaterThan(40);
  });
});

/** A way to Postgres that changes what is sent, or ends. */
const startTampering = async () => {
  const admin = new URL(fixture.adminUrl);
  const state = {
    /** Chunks that came from the service. */
    chunks: 0,
    /** Other texts in place of plain ones that begin so. */
    instead: new Map<string, string>(),
    /** Ends both ways when the service sends this; Postgres gets it, or does not. */
    cutAt: undefined as string | undefined,
    isDelivered: true,
  };
  const changed = (chunk: Buffer): Buffer => {
    let text = chunk.toString('latin1');
    for (const [begin, other] of state.instead) {
      const found = new RegExp(`Q[^]{4}${begin}[^\\0]*\\0`).exec(text);
      if (found === null) continue;
      const length = Buffer.alloc(4);
      length.writeInt32BE(other.length + 5);
      const before = text.slice(0, found.index);
      text = `${before}Q${length.toString('latin1')}${other}\0${text.slice(found.index + found[0].length)}`;
    }
    return Buffer.from(text, 'latin1');
  };
  const server = createServer((client) => {
    const postgres = connect(Number(admin.port), '127.0.0.1');
    for (const one of [client, postgres])
      one.on('error', () => {}).on('close', () => (client.destroy(), postgres.destroy()));
    postgres.pipe(client);
    client.on('data', (chunk) => {
      state.chunks += 1;
      const isEnd = state.cutAt !== undefined && chunk.includes(state.cutAt);
      if (isEnd) postgres.unpipe(client);
      if (!isEnd || state.isDelivered) postgres.write(changed(chunk));
      if (isEnd) setTimeout(() => client.destroy(), state.isDelivered ? 200 : 0);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return { state, port: address.port, close: () => void server.close() };
};

describe.each([
  ['an organization', 'DATABASE_URL', { org_id }],
  ['all organizations', 'WORKER_DATABASE_URL', 'all orgs'],
] as const)('a transaction for %s', (_, login, scope) => {
  let way: Awaited<ReturnType<typeof startTampering>>;
  let own: pg.Pool;
  const poolOf = (settings = {}): pg.Pool => {
    const url = urlThroughPort(fixture.envFor('course')[login], way.port);
    return createPool(url, 1, 'test', log, { ...REQUEST_SETTINGS, ...settings });
  };
  beforeEach(async () => {
    way = await startTampering();
    own = poolOf();
  });
  afterEach(async () => {
    await own.end();
    way.close();
  });
  const transaction = (): Connection => new Connection(own, scope, true);
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no failure',
      (error: unknown) => error,
    );
  const CANCELLED = "do $$ begin raise exception using errcode = '57014'; end $$";

  it('whose `begin` is cancelled stores nothing of what follows, sent with it or later', async () => {
    way.state.instead.set('begin read write', CANCELLED);
    const atOnce = transaction();
    atOnce.run(ADD, [1]);
    const failure = await failureOf(atOnce.commit());
    expect([faultKindOf(failure), failure instanceof OutcomeUnknown]).toEqual(['lost', false]);
    expect(String(failure)).toContain('did not begin');

    const later = transaction();
    const asked = failureOf(later.query(IDS, []));
    later.run(ADD, [2]);
    expect(faultKindOf(await asked)).toBe('lost');
    later.run(ADD, [3]);
    expect(faultKindOf(await failureOf(later.commit()))).toBe('lost');
    expect(await stored()).toEqual([]);

    way.state.instead.clear();
    const next = transaction();
    next.run(ADD, [4]);
    await next.commit();
    expect(await stored()).toEqual([4]);
  });

  it('would store what follows a cancelled `begin`, were its session not read only', async () => {
    await own.end();
    own = poolOf({ default_transaction_read_only: 'off' });
    way.state.instead.set('begin read write', CANCELLED);
    const connection = transaction();
    connection.run(ADD, [1]);
    expect(faultKindOf(await failureOf(connection.commit()))).toBe('lost');
    await expect.poll(stored).toEqual([1]);
  });

  it('whose COMMIT Postgres answers with a rollback is no success', async () => {
    way.state.instead.set('commit', 'rollback');
    const connection = transaction();
    connection.run(ADD, [1]);
    await expect(connection.commit()).rejects.toThrow('rolled back');
    expect(await stored()).toEqual([]);
  });

  it('fails for its first refusal, though what was sent behind it was never prepared', async () => {
    const connection = transaction();
    connection.run(ADD, [1]);
    connection.run(ADD, [1]);
    for (const id of [2, 3]) connection.run(NEVER_PREPARED, [id]);
    expect(databaseFault(await failureOf(connection.commit()))?.code).toBe('23505');
    expect(await stored()).toEqual([]);
  });

  it('whose COMMIT was sent and not answered has an unknown outcome', async () => {
    for (const [id, isDelivered] of [
      [1, true],
      [2, false],
    ] as const) {
      Object.assign(way.state, { cutAt: 'commit\0', isDelivered });
      const connection = transaction();
      connection.run(ADD, [id]);
      expect(await failureOf(connection.commit())).toBeInstanceOf(OutcomeUnknown);
    }
    await expect.poll(stored).toEqual([1]);
  });

  it('has no unknown outcome when it was lost before its COMMIT', async () => {
    const connection = transaction();
    await connection.query(IDS, []);
    Object.assign(way.state, { cutAt: 'note', isDelivered: false });
    expect(faultKindOf(await failureOf(connection.query(ADD, [1])))).toBe('lost');
    const failure = await failureOf(connection.commit());
    expect([faultKindOf(failure), failure instanceof OutcomeUnknown]).toEqual(['lost', false]);
    expect(await stored()).toEqual([]);
  });

  it('has no unknown outcome when a statement of it had been refused', async () => {
    const connection = transaction();
    connection.run(ADD, [1]);
    await failureOf(connection.query(DIVIDE, [0]));
    way.state.cutAt = 'commit\0';
    const failure = await failureOf(connection.commit());
    expect([faultKindOf(failure), failure instanceof OutcomeUnknown]).toEqual(['lost', false]);
    expect(await stored()).toEqual([]);
  });

  it('leaves in one packet what is said in one turn, from `begin` to COMMIT', async () => {
    await queryRows(own, IDS);
    way.state.chunks = 0;
    const connection = transaction();
    connection.run(ADD, [1]);
    const seen = connection.query(IDS, []);
    await connection.commit();
    expect((await seen).map(({ id }) => id)).toEqual([1]);
    expect(way.state.chunks).toBe(1);
  });
});
