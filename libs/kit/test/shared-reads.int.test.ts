import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { SharedReads } from '../src/db/shared-reads.ts';
import { SnapshotReader } from '../src/db/reader.ts';
import { notNull, createLogger, p, statement } from '../src/index.ts';

const SLEEP = statement('select 1 as woken from pg_sleep($1)', { woken: notNull(p.integer()) });
const ORG = statement("select current_setting('app.org_id') as org", { org: notNull(p.text()) });
/** Runs until the test releases the advisory lock. */
const HELD = statement('select true as done from (select pg_advisory_xact_lock_shared($1)) as l', {
  done: notNull(p.boolean()),
});
const SNAPSHOT = statement('select pg_current_snapshot()::text as seen', { seen: notNull(p.text()) });
const WRONG = statement('select 1 / $1::int as nothing', { nothing: notNull(p.integer()) });
const LOCK = 20_260_101;
const NAME = 'shared reads of a test';
const often = { interval: 10 };

let fixture: Fixture;
let holder: pg.Client;
let reads: SharedReads;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await fixture.sql('grant execute on function pg_advisory_xact_lock_shared(bigint) to course_app');
  holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
});
afterAll(async () => {
  await holder?.end();
  await fixture?.stop();
});
afterEach(() => reads.end());

const open = (count: number, url = fixture.envFor('course')['DATABASE_URL'] ?? ''): void => {
  reads = new SharedReads(url, count, NAME, createLogger('test', 'silent'));
};
const orgSeenBy = async (org: string): Promise<string | undefined> =>
  (await reads.query<{ org: string }>(org, ORG, []))[0]?.org;
const backends = async (where = 'true'): Promise<number[]> =>
  (
    await fixture.sql<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = $1 and ${where} order by pid`,
      [NAME],
    )
  ).map(({ pid }) => pid);
const busy = (): Promise<number[]> => backends("state = 'active'");
const end = (pids: readonly number[]) =>
  fixture.sql('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);

it('shared reads each see their own organization, also in one packet with reads of other organizations', async () => {
  open(1);
  const orgs = Array.from({ length: 20 }, () => randomUUID());
  expect(await Promise.all(orgs.map(orgSeenBy))).toEqual(orgs);
  expect(await backends()).toHaveLength(1);
});

it('shared reads are sent once more for their organization after their connection is lost, but not a third time', async () => {
  open(1);
  const orgs = [randomUUID(), randomUUID()];
  const answers = Promise.allSettled([reads.query(randomUUID(), SLEEP, [30]), ...orgs.map(orgSeenBy)]);
  await expect.poll(busy, often).toHaveLength(1);
  const first = await busy();
  await end(first);
  await expect.poll(async () => (await busy()).filter((pid) => !first.includes(pid)), often).toHaveLength(1);
  await end(await busy());
  const [slow, ...quick] = await answers;
  expect(slow.status).toBe('rejected');
  // The reads behind the slow one lost their connection twice, too.
  expect(quick.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all(orgs.map(orgSeenBy))).toEqual(orgs);
});

it('shared reads are answered after their connection was lost once', async () => {
  open(1);
  const org = randomUUID();
  await orgSeenBy(org);
  await holder.query('select pg_advisory_lock($1)', [LOCK]);
  const answers = Promise.all([reads.query(randomUUID(), HELD, [LOCK]), orgSeenBy(org)]);
  await expect.poll(busy, often).toHaveLength(1);
  await end(await busy());
  await holder.query('select pg_advisory_unlock($1)', [LOCK]);
  expect((await answers)[1]).toBe(org);
});

it('shared reads fail if their organization cannot be set, and do not see the former organization', async () => {
  open(1);
  const [former, next] = [randomUUID(), randomUUID()];
  await orgSeenBy(former);
  const [before] = await backends();
  // A text in Postgres cannot contain a zero byte, so this organization cannot be set.
  const unbound = 'no\0org';
  const outcomes = await Promise.allSettled([former, unbound, unbound, next].map(orgSeenBy));
  expect(outcomes).toMatchObject([
    { value: former },
    { status: 'rejected' },
    { status: 'rejected' },
    // It is sent once more and may be lost again. It never sees another organization.
    expect.toSatisfy(({ status, value }) => status === 'rejected' || value === next),
  ]);
  expect(await orgSeenBy(next)).toBe(next);
  expect(await backends()).not.toContain(before);
});

describe('Shared reads of one call that reads a snapshot', () => {
  it('share the snapshot and the organization if they are sent together, also while other transactions write', async () => {
    open(1);
    const org = randomUUID();
    const reader = new SnapshotReader(reads, org);
    await holder.query('select pg_advisory_lock($1)', [LOCK]);
    const reads_ = [reader.query(SNAPSHOT, []), reader.query(HELD, [LOCK]), reader.query(SNAPSHOT, [])] as const;
    const seenBy = reader.query(ORG, []);
    await expect.poll(busy, often).toHaveLength(1);
    await holder.query('select pg_current_xact_id()');
    await holder.query('select pg_advisory_unlock($1)', [LOCK]);
    const [before, , after] = await Promise.all(reads_);
    expect(after).toEqual(before);
    expect(await seenBy).toEqual([{ org }]);
  });

  it('leave the connection unchanged for others, also if one of them fails', async () => {
    open(1);
    const reader = new SnapshotReader(reads, randomUUID());
    const outcomes = Promise.allSettled([reader.query(SNAPSHOT, []), reader.query(WRONG, [0])]);
    const [other, later] = [randomUUID(), randomUUID()];
    expect(await orgSeenBy(other)).toBe(other);
    expect(await outcomes).toMatchObject([{ reason: { code: '22012' } }, { reason: { code: '22012' } }]);
    expect(await orgSeenBy(later)).toBe(later);
    expect(await backends("state = 'idle'")).toHaveLength(1);
  });

  it('are refused after earlier reads of the call were sent', async () => {
    open(1);
    const reader = new SnapshotReader(reads, randomUUID());
    await reader.query(SNAPSHOT, []);
    await expect(reader.query(SNAPSHOT, [])).rejects.toThrow('the snapshot was already read');
  });
});

it('shared reads reject with the reason why no connection can be opened', async () => {
  open(2, (fixture.envFor('course')['DATABASE_URL'] ?? '').replace(/:[^:@/]+@/, ':wrong@'));
  await expect(orgSeenBy(randomUUID())).rejects.toMatchObject({ code: '28P01' });
  await reads.end();
  open(2, 'postgres://nobody@127.0.0.1:1/nothing');
  await expect(orgSeenBy(randomUUID())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('slow shared reads of one organization leave half of the connections to others', async () => {
  open(6);
  const [greedy, quiet] = [randomUUID(), randomUUID()];
  await holder.query('select pg_advisory_lock($1)', [LOCK]);
  const done: string[] = [];
  const slow: Promise<unknown>[] = [];
  for (let n = 0; n < 12; n += 1) {
    slow.push(reads.query(greedy, HELD, [LOCK]).then(() => done.push('slow')));
    await nextTurn();
  }
  await expect.poll(busy, often).toHaveLength(3);
  // Both one after the other and all together: they are answered while all slow reads still wait.
  for (let n = 0; n < 10; n += 1) {
    expect(await orgSeenBy(quiet)).toBe(quiet);
    done.push('quick');
  }
  await Promise.all(Array.from({ length: 30 }, () => orgSeenBy(quiet).then(() => done.push('quick'))));
  expect(new Set(done)).toEqual(new Set(['quick']));
  expect(await busy()).toHaveLength(3);
  await holder.query('select pg_advisory_unlock($1)', [LOCK]);
  await Promise.all(slow);
});

it('shared reads that exceed their deadline lose their connection, and those behind them are answered on another one', async () => {
  open(1);
  const org = randomUUID();
  const late = reads.query(randomUUID(), SLEEP, [30], performance.now() + 300).catch((error: unknown) => error);
  expect(await orgSeenBy(org)).toBe(org);
  expect(await late).toMatchObject({ code: 'timeout' });
  await expect(reads.query(org, ORG, [], performance.now() - 1)).rejects.toMatchObject({ code: 'timeout' });
  // The client has left, so Postgres cancels the statement.
  await expect.poll(busy, often).toEqual([]);
});
