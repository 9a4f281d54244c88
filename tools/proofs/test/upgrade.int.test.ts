import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { auditCalls, clazzCalls, memberCalls, statsCalls } from '../../../libs/contracts/src/index.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { restoreRelease } from './release-0.1.0/restore.ts';
import { POLL_OPTIONS } from './poll-options.ts';
import pg from 'pg';

/** The organization of the demo of that release. */
const ORG = '01a1ffb6-9ca5-7cf4-b92c-270ec8b7b59b';
const query = { from: '2026-01-01', to: '2026-12-31' };
/** The totals that the statistics of that release answered. */
const TOTALS = {
  scheduled: 4,
  held: 4,
  present: 1,
  late: 1,
  absent: 1,
  leave: 2,
  makeup: 0,
  trial: 0,
  hours_taught: '4.00',
  hours_consumed: '4.00',
  roll_calls_in_time: 3,
  markings: 1,
  leave_handled: 2,
};

let fixture: Fixture;
let before: { audited: number; events: number; last_seq: number; clazz_id: string; audit_seq: number; hash: string };
const boss = () => fixture.as({ role: 'SUPERVISOR', org: ORG, sub: 'boss' });

beforeAll(async () => {
  const stack = inject('stack');
  const adminUrl = await restoreRelease(stack, `upgrade_${randomBytes(4).toString('hex')}`);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  // Two events were committed when that release stopped and had not been published.
  await client.query(`
    insert into clazz.outbox (id, org_id, tx_id, subject, aggregate_id, event)
    select gen_random_uuid(), org_id, gen_random_uuid(), subject, aggregate_id,
      jsonb_set(jsonb_set(event::jsonb, '{id}', to_jsonb(gen_random_uuid())), '{data,clazz,name}', '"Renamed at the last moment"')::json
    from clazz.outbox where event ->> 'type' = 'clazz.clazz.changed.v1' order by seq desc limit 1;
    update clazz.outbox set event = jsonb_set(event::jsonb, '{id}', to_jsonb(id))::json where published_at is null;
    insert into clazz.outbox (id, org_id, tx_id, subject, aggregate_id, event)
    select gen_random_uuid(), org_id, gen_random_uuid(), subject, aggregate_id, event
    from clazz.outbox where event ->> 'type' = 'clazz.audit.recorded.v1' order by seq desc limit 1;
    update clazz.outbox set event = jsonb_set(event::jsonb, '{id}', to_jsonb(id))::json where published_at is null;`);
  const { rows } = await client.query(`
    select (select count(*)::int from clazz.clazz_audit_log) as audited, (select count(*)::int from clazz.outbox) as events,
      (select max(seq)::int from clazz.outbox) as last_seq, (select hash from clazz.audit_head limit 1) as hash, (select id from clazz.clazz limit 1) as clazz_id,
      (select count(*)::int from clazz.outbox where event ->> 'type' = 'clazz.audit.recorded.v1') as audit_seq`);
  before = rows[0];
  await client.end();
  fixture = await startFixture({ adminUrl });
});
afterAll(() => fixture?.stop());

describe('The data of release 0.1.0', () => {
  it('becomes numbered logs that end where its history ended', async () => {
    const entries = await fixture.sql<{ log: string; first: number; last: number; n: number }>(
      `
      select log, min(no)::int as first, max(no)::int as last, count(*)::int as n from clazz.log_numbered
      where no <= $1 group by log order by log`,
      [before.last_seq],
    );
    expect(entries).toEqual([
      { log: 'audit', first: before.last_seq - before.audit_seq + 1, last: before.last_seq, n: before.audit_seq },
      {
        log: 'domain',
        first: before.last_seq - (before.events - before.audit_seq) + 1,
        last: before.last_seq,
        n: before.events - before.audit_seq,
      },
    ]);
  });

  it('is applied once, both the entries in the audit log and those that were missing', async () => {
    await expect
      .poll(() => boss().ok(auditCalls.verifyAuditLog), POLL_OPTIONS)
      .toMatchObject({
        ok: true,
        entries: before.audited + 1,
      });
  });

  it('gets a new audit chain with separate texts, and heads of the old chain are still accepted', async () => {
    const { reanchored } = await boss().ok(auditCalls.verifyAuditLog);
    expect(reanchored).toMatchObject({ entries: before.audited, hash_before: before.hash });
    const oldHead = { entries: String(before.audited), hash: before.hash };
    expect(await boss().ok(auditCalls.verifyAuditLog, { query: oldHead })).toMatchObject({ ok: true });
    const texts = await fixture.sql<{ text: string; people: string[] }>('select text, people from clazz.audit_text');
    expect(texts.length).toBeGreaterThan(0);
    const withTexts = await fixture.sql('select 1 from clazz.clazz_audit_log where texts is not null');
    expect(withTexts.length).toBeGreaterThan(0);
    const auditEvents = await fixture.sql<{ data: unknown }>(
      `select data from clazz.log_entry where log = 'audit' and data is not null`,
    );
    // Only the event that was not in the audit log yet.
    expect(auditEvents.length).toBeLessThanOrEqual(1);
  });

  it('still reveals changes made before the new chain began', async () => {
    const change = async (value: string): Promise<void> => {
      await fixture.sql('alter table clazz.audit_former disable trigger user');
      await fixture.sql('update clazz.audit_former set hash = $2 where org_id = $1 and seq = 1', [ORG, value]);
      await fixture.sql('alter table clazz.audit_former enable trigger user');
    };
    const [first] = await fixture.sql<{ hash: string }>(
      'select hash from clazz.audit_former where org_id = $1 and seq = 1',
      [ORG],
    );
    await change('0'.repeat(64));
    expect((await boss().ok(auditCalls.verifyAuditLog)).first_broken?.why).toMatch('the hash it had before');
    await change(first?.hash ?? '');
    expect((await boss().ok(auditCalls.verifyAuditLog)).ok).toBe(true);
  });

  it('loses, with an erased text, the old hashes from which the text could be guessed', async () => {
    const [text] = await fixture.sql<{ seq: number; person: string }>(
      `select former_seq::int as seq, people[1] as person from clazz.audit_text
       where org_id = $1 and cardinality(people) > 0 order by former_seq limit 1`,
      [ORG],
    );
    const path = { user_id: text?.person ?? '' };
    expect((await boss().ok(memberCalls.eraseMember, { path, body: { reason: 'asked' } })).texts).toBeGreaterThan(0);
    const former = await fixture.sql('select 1 from clazz.audit_former where org_id = $1 and seq >= $2', [
      ORG,
      text?.seq,
    ]);
    expect(former).toEqual([]);
    const { ok, reanchored } = await boss().ok(auditCalls.verifyAuditLog);
    expect({ ok, hash_before: reanchored?.hash_before }).toEqual({ ok: true, hash_before: null });
  });

  it('gives the same statistics, including the last unpublished event', async () => {
    await expect
      .poll(() => fixture.sql('select name from stats.clazz where org_id = $1 and gen = 1', [ORG]), POLL_OPTIONS)
      .toEqual([{ name: 'Renamed at the last moment' }]);
    expect((await boss().ok(statsCalls.getOrganizationStats, { query })).totals).toEqual(TOTALS);
  });

  it('accepts new writes, and reads with their token include them', async () => {
    const { headers } = await boss().answer(clazzCalls.createClazz, { body: { name: 'New', lead_teacher_id: 'li' } });
    const token = headers.get('x-consistency-token') ?? '';
    const overview = await boss().ok(statsCalls.getOrganizationStats, { query }, { 'x-consistency-token': token });
    expect(overview.included).toBe(true);
    const [old] = await fixture.events('clazz', 'clazz.hours.moved');
    expect(old?.type).toBe('clazz.hours.moved.v1');
  });

  it('can be rebuilt from its history', async () => {
    const { rebuildStatistics } = await import('../../../services/stats/test/rebuild-statistics.ts');
    await rebuildStatistics(fixture);
    expect((await boss().ok(statsCalls.getOrganizationStats, { query })).totals).toEqual(TOTALS);
  });
});
