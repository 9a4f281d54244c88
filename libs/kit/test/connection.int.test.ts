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
/** Sent by only one test. */
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
  // One connection, so that a later transaction finds the state that an earlier one left on it.
  pool = createPool(fixture.envFor('course')['DATABASE_URL'] ?? '', 1, 'test', log, REQUEST_SETTINGS);
  await fixture.sql('truncate course.note');
});
afterEach(async () => {
  // A failing test leaves them open.
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

it('a statement returns the same rows when it is sent for the first time and when it is already prepared', async () => {
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

describe('After a failing statement', () => {
  it('no later statement is performed, and each rejects with the first failure', async () => {
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
    ['sent with the commit', false],
    ['sent before the commit', true],
  ])('that is not awaited and was %s, the commit fails', async (_, isBefore) => {
    const connection = begun();
    connection.run(ADD, [1]);
    connection.run(DIVIDE, [0]);
    if (isBefore) await nextTurn();
    await expect(connection.commit()).rejects.toMatchObject(DIVISION_BY_ZERO);
    expect(await stored()).toEqual([]);
  });

  it('the next transaction can use the connection, and statements that the failure left unprepared', async () => {
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

it('a transaction leaves no organization set on its connection', async () => {
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

it('a statement after the end of a transaction is not sent, after a commit and after an abandon', async () => {
  for (const end of [(one: Connection) => one.commit(), (one: Connection) => one.abandon()]) {
    const connection = begun();
    await connection.query(IDS, []);
    const ended = end(connection);
    await nextTurn();
    await expect(connection.query(ADD, [1])).rejects.toThrow('this session has ended');
    await ended;
    connection.run(ADD, [2]);
    await nextTurn();
    expect(await stored()).toEqual([]);
  }
});

it('an abandoned transaction stores nothing, also of statements that were sent just before its end', async () => {
  const connection = begun();
  await connection.query(IDS, []);
  connection.run(ADD, [1]);
  await connection.abandon();
  const unopened = begun();
  const late = unopened.query(ADD_MORE, [1]);
  await Promise.all([unopened.abandon(), expect(late).rejects.toThrow('this session has ended')]);
  expect(await stored()).toEqual([]);
});

it('a statement that cannot be serialized rejects for its caller, and other statements continue', async () => {
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

it('the commit fails if a statement without `await` was past the deadline', async () => {
  const connection = new Connection(pool, { org_id }, true, performance.now() + 60_000);
  open.push(connection);
  await connection.query(IDS, []);
  connection.run(ADD, [1]);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000);
  connection.run(ADD, [2]);
  await expect(connection.commit()).rejects.toMatchObject({ code: 'unavailable' });
  clock.mockRestore();
  await connection.abandon();
  expect(await stored()).toEqual([]);
});

describe('The order of statements', () => {
  const INSERT = statement('insert into said (what) values ($1)');
  const INSERT_RETURNING = statement('insert into said (what) values ($1) returning what', { what: notNull(p.text()) });
  const INSERTED = statement('select what from said order by seq', { what: notNull(p.text()) });

  it('is that of the calls, wherever they are made, also while the connection is being opened', async () => {
    await fixture.sql('truncate course.said');
    const connection = begun();
    const called: string[] = [];
    const note = (what: string): string => {
      called.push(what);
      return what;
    };
    const run = (what: string): void => connection.run(INSERT, [note(what)]);
    const ask = (what: string) => connection.query(INSERT_RETURNING, [note(what)]);
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
    expect((await queryRows(pool, INSERTED)).map(({ what }) => what)).toEqual(called);
    expect(called.length).toBeGreaterThan(40);
  });
});

/** Starts a proxy to Postgres that can change the sent statements or cut the connection. */
const startTampering = async () => {
  const admin = new URL(fixture.adminUrl);
  const state = {
    /** The number of chunks from the service. */
    chunks: 0,
    /** Replacements of simple queries, by the begin of their text. */
    instead: new Map<string, string>(),
    /** Cuts the connection when the service sends this text. `isDelivered`: Postgres still receives it. */
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
] as const)('A transaction for %s', (_, login, scope) => {
  let proxy: Awaited<ReturnType<typeof startTampering>>;
  let own: pg.Pool;
  const poolOf = (settings = {}): pg.Pool => {
    const url = urlThroughPort(fixture.envFor('course')[login], proxy.port);
    return createPool(url, 1, 'test', log, { ...REQUEST_SETTINGS, ...settings });
  };
  beforeEach(async () => {
    proxy = await startTampering();
    own = poolOf();
  });
  afterEach(async () => {
    await own.end();
    proxy.close();
  });
  const transaction = (): Connection => new Connection(own, scope, true);
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no failure',
      (error: unknown) => error,
    );
  const CANCELLED = "do $$ begin raise exception using errcode = '57014'; end $$";

  it('stores nothing if its `begin` is cancelled, whether statements are sent with it or later', async () => {
    proxy.state.instead.set('begin read write', CANCELLED);
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

    proxy.state.instead.clear();
    const next = transaction();
    next.run(ADD, [4]);
    await next.commit();
    expect(await stored()).toEqual([4]);
  });

  it('would store statements after a cancelled `begin` if its session were not read-only', async () => {
    await own.end();
    own = poolOf({ default_transaction_read_only: 'off' });
    proxy.state.instead.set('begin read write', CANCELLED);
    const connection = transaction();
    connection.run(ADD, [1]);
    expect(faultKindOf(await failureOf(connection.commit()))).toBe('lost');
    await expect.poll(stored).toEqual([1]);
  });

  it('fails if Postgres answers its COMMIT with a rollback', async () => {
    proxy.state.instead.set('commit', 'rollback');
    const connection = transaction();
    connection.run(ADD, [1]);
    await expect(connection.commit()).rejects.toThrow('rolled back');
    expect(await stored()).toEqual([]);
  });

  it('fails with its first error, also if later statements were not prepared', async () => {
    const connection = transaction();
    connection.run(ADD, [1]);
    connection.run(ADD, [1]);
    for (const id of [2, 3]) connection.run(NEVER_PREPARED, [id]);
    expect(databaseFault(await failureOf(connection.commit()))?.code).toBe('23505');
    expect(await stored()).toEqual([]);
  });

  it('has an unknown outcome if its COMMIT was sent and got no answer', async () => {
    for (const [id, isDelivered] of [
      [1, true],
      [2, false],
    ] as const) {
      Object.assign(proxy.state, { cutAt: 'commit\0', isDelivered });
      const connection = transaction();
      connection.run(ADD, [id]);
      expect(await failureOf(connection.commit())).toBeInstanceOf(OutcomeUnknown);
    }
    await expect.poll(stored).toEqual([1]);
  });

  it('has no unknown outcome if its connection was lost before its COMMIT', async () => {
    const connection = transaction();
    await connection.query(IDS, []);
    Object.assign(proxy.state, { cutAt: 'note', isDelivered: false });
    expect(faultKindOf(await failureOf(connection.query(ADD, [1])))).toBe('lost');
    const failure = await failureOf(connection.commit());
    expect([faultKindOf(failure), failure instanceof OutcomeUnknown]).toEqual(['lost', false]);
    expect(await stored()).toEqual([]);
  });

  it('has no unknown outcome if one of its statements had failed', async () => {
    const connection = transaction();
    connection.run(ADD, [1]);
    await failureOf(connection.query(DIVIDE, [0]));
    proxy.state.cutAt = 'commit\0';
    const failure = await failureOf(connection.commit());
    expect([faultKindOf(failure), failure instanceof OutcomeUnknown]).toEqual(['lost', false]);
    expect(await stored()).toEqual([]);
  });

  it('sends the statements of one turn of the event loop in one packet, from `begin` to COMMIT', async () => {
    await queryRows(own, IDS);
    proxy.state.chunks = 0;
    const connection = transaction();
    connection.run(ADD, [1]);
    const seen = connection.query(IDS, []);
    await connection.commit();
    expect((await seen).map(({ id }) => id)).toEqual([1]);
    expect(proxy.state.chunks).toBe(1);
  });
});
