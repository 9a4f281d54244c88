import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { Connection } from '../src/db/connection.ts';
import { createPool, REQUEST_SETTINGS } from '../src/db/pool.ts';
import { rows } from '../src/db/database-client.ts';
import { always, createLogger, p, statement } from '../src/index.ts';

const ADD = statement('insert into note (id, at) values ($1, now())');
const ADD_MORE = statement('insert into note (id, at) select $1::int + 1, now() returning id', {
  id: always(p.integer()),
});
const DIVIDE = statement('select 1 / $1::int as quotient', { quotient: always(p.integer()) });
const IDS = statement('select id, at from note order by id', { id: always(p.integer()), at: always(p.text()) });
const ORG = statement(`select coalesce(current_setting('app.org_id', true), '') as org`, { org: always(p.text()) });

const log = createLogger('test', 'silent');
let fixture: Fixture;
let pool: pg.Pool;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await fixture.sql('create table course.note (id int primary key, at timestamptz not null)');
  await fixture.sql('grant select, insert on course.note to course_app');
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
const stored = async (): Promise<number[]> => (await rows(pool, IDS)).map(({ id }) => id);
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
    expect(await rows(pool, ORG)).toEqual([{ org: '' }]);
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

it('what was said in the turn of giving up is not sent', async () => {
  const connection = begun();
  await connection.query(IDS, []);
  const late = connection.query(ADD_MORE, [1]);
  await Promise.all([connection.abandon(), expect(late).rejects.toThrow('over')]);
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

