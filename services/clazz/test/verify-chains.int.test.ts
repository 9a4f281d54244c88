import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { createSweepRunner, type SweepRunner } from '../../../tools/proofs/test/run-sweeps.ts';
import { measureChains, verifyChains } from '../src/audit/verify-chains.ts';

// In this year no job of the fixture's own services has work to do.
const clock = clockAt('2090-03-01T12:00:00.000Z');
let fixture: Fixture;
let sweeps: SweepRunner;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
  sweeps = createSweepRunner(fixture, 'clazz', clock.now);
});
afterAll(async () => {
  await sweeps?.end();
  await fixture?.stop();
});

const sweep = (most?: number) => sweeps.run(verifyChains, most);
const supervisor = (org: string) => fixture.as({ role: 'SUPERVISOR', org });
const stateOf = async (org: string) =>
  (await fixture.sql('select * from clazz.audit_verified where org_id = $1', [org]))[0];
/** Changes the audit log without its trigger, which only the owner of the database can do. */
const tamper = async (sql: string, org: string): Promise<void> => {
  await fixture.sql('alter table clazz.clazz_audit_log disable trigger user');
  await fixture.sql(sql, [org]);
  await fixture.sql('alter table clazz.clazz_audit_log enable trigger user');
};
const verifyOrg = async (org: string) => expectOk(await supervisor(org).get('/clazz/audit-log/verify'));
/** An organization whose audit log has that many entries. */
const orgWith = async (entries: number): Promise<string> => {
  const org = randomUUID();
  const { id } = await newClazz(supervisor(org), {}, 'draft');
  for (let n = 1; n < entries; n += 1) expectOk(await supervisor(org).patch(`/clazz/${id}`, { name: `name ${n}` }));
  await expect.poll(() => verifyOrg(org)).toMatchObject({ ok: true, entries });
  return org;
};
const measure = async () => {
  const values: Record<string, number> = {};
  await sweeps.inTx((tx) => measureChains((name, value) => void (values[name] = value), tx, tx.now));
  return {
    broken: values['teaching.audit.broken'],
    age: values['teaching.audit.verified.age'],
    first_age: values['teaching.audit.recomputed.age'],
  };
};

it('each audit chain is recomputed once a day in parts, and the next run continues at the stored entry', async () => {
  const org = randomUUID();
  const { id } = await newClazz(supervisor(org));
  const series = {
    starts_on: '2033-01-01',
    start_time: '10:00',
    duration_minutes: 60,
    zone: 'UTC',
    rrule: 'FREQ=DAILY',
  };
  expectOk(await supervisor(org).post(`/clazz/${id}/lesson/series`, { ...series, count: 300 }), 201);
  await expect.poll(() => verifyOrg(org)).toMatchObject({ ok: true, entries: 302 });
  expect(await sweep(1)).toBe(200);
  expect(await stateOf(org)).toMatchObject({ entries: '200', is_done: false, whole_entries: '0' });
  clock.advance(HOUR_MS);
  expect((await measure()).age).toBe(3_600);
  expect(await sweep()).toBe(102);
  expect(await stateOf(org)).toMatchObject({ entries: '302', is_done: true, whole_entries: '302', broken_seq: null });
  expect((await measure()).age).toBe(3_600);
  clock.advance(DAY_MS - HOUR_MS);
  expect(await sweep()).toBe(0);
  clock.advance(1);
  expect(await sweep()).toBe(302);
  expect(await measure()).toEqual({ broken: 0, age: 0, first_age: 0 });
});

it('new entries are recomputed every day, and the whole chain later in a run that has time for it', async () => {
  const org = await orgWith(3);
  await sweep();
  await newClazz(supervisor(org), {}, 'draft');
  await expect.poll(() => verifyOrg(org)).toMatchObject({ ok: true, entries: 4 });
  await tamper("update clazz.clazz_audit_log set actor_id = actor_id || '!' where org_id = $1 and seq = 2", org);
  const others = 'update clazz.audit_verified set began_at = $2, whole_at = $2, first_at = $2 where org_id <> $1';
  clock.advance(DAY_MS + 1);
  await fixture.sql(others, [org, clock.now().toISOString()]);
  // The whole chain was recomputed an hour ago.
  await fixture.sql('update clazz.audit_verified set first_at = $2 where org_id = $1', [org, clock.after(-HOUR_MS)]);
  expect(await sweep()).toBe(1);
  expect(await stateOf(org)).toMatchObject({ whole_entries: '4', from_first: false, broken_seq: null });
  expect(await measure()).toMatchObject({ age: 0, first_age: 3_600 });
  clock.advance(DAY_MS - HOUR_MS + 1);
  await fixture.sql(others, [org, clock.now().toISOString()]);
  await sweep();
  expect(await stateOf(org)).toMatchObject({ whole_entries: '4', from_first: true, broken_seq: '2' });
  await tamper("update clazz.clazz_audit_log set actor_id = rtrim(actor_id, '!') where org_id = $1 and seq = 2", org);
  clock.advance(HOUR_MS + 1);
  await sweep();
  expect(await measure()).toMatchObject({ broken: 0 });
});

const WHOLE = 'it is not the entry that the chain ended in when it was whole';
it.each([
  [
    'a changed entry',
    "update clazz.clazz_audit_log set actor_id = 'somebody else' where org_id = $1 and seq = 2",
    { broken_seq: '2', broken_why: 'its content does not match its hash' },
  ],
  [
    'a missing entry',
    'delete from clazz.clazz_audit_log where org_id = $1 and seq = 2',
    { broken_seq: '3', broken_why: 'an entry before it is missing' },
  ],
  [
    'a removed last entry with an adjusted head',
    `with gone as (delete from clazz.clazz_audit_log where org_id = $1 and seq = 3)
     update clazz.audit_head as h set entries = 2, hash = l.hash
     from clazz.clazz_audit_log as l where l.org_id = $1 and l.seq = 2 and h.org_id = $1`,
    { broken_seq: '3', broken_why: WHOLE },
  ],
  [
    'a missing chain with its head',
    `with gone as (delete from clazz.clazz_audit_log where org_id = $1) delete from clazz.audit_head where org_id = $1`,
    { broken_seq: '3', broken_why: WHOLE },
  ],
  [
    'a missing head',
    'delete from clazz.audit_head where org_id = $1',
    { broken_seq: '1', broken_why: 'the chain does not end in its head' },
  ],
])('%s is detected and reported until it is repaired', async (_what, sql, found) => {
  const org = await orgWith(3);
  await sweep();
  const before = await measure();
  const rows = await fixture.sql('select * from clazz.clazz_audit_log where org_id = $1 order by seq', [org]);
  const heads = await fixture.sql('select * from clazz.audit_head where org_id = $1', [org]);
  await tamper(sql, org);
  clock.advance(DAY_MS + 1);
  await sweep();
  expect(await stateOf(org)).toMatchObject({ is_done: true, whole_entries: '3', ...found });
  expect(await measure()).toMatchObject({ broken: 1, first_age: 86_400.001 });
  // The rows are restored from a copy.
  await tamper('delete from clazz.clazz_audit_log where org_id = $1', org);
  await tamper('delete from clazz.audit_head where org_id = $1', org);
  const put = (table: string, all: unknown) =>
    fixture.sql(`insert into clazz.${table} select * from json_populate_recordset(null::clazz.${table}, $1)`, [
      JSON.stringify(all),
    ]);
  await put('clazz_audit_log', rows);
  await put('audit_head', heads);
  await sweep();
  expect((await measure()).broken).toBe(1);
  clock.advance(HOUR_MS + 1);
  await sweep();
  expect(await stateOf(org)).toMatchObject({ broken_seq: null, broken_why: null });
  expect((await measure()).broken).toBe(before.broken);
});
