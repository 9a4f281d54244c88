import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { restoreRelease } from '../../../tools/proofs/test/release-0.1.0/restore.ts';
import { brokenInvariants } from '../../clazz/test/invariants.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { rebuildStatistics, readTables } from './rebuild-statistics.ts';

/**
 * The organization in the data of release 0.1.0. Its events of hours contain the entries of one student, and no sums.
 */
const ORG = '01a1ffb6-9ca5-7cf4-b92c-270ec8b7b59b';
const EVENT_INVARIANTS = /event|publishes/;

const DATA = new URL('../../../tools/proofs/test/release-0.1.0/data.json.gz', import.meta.url);
const LEDGER = ['hour_account', 'hour_lot', 'hour_draw', 'hour_entry', 'mark_revision', 'lesson', 'clazz'];

/** Inserts the rows of ledger tables that are empty after the restore. */
const fillLedger = async (adminUrl: string): Promise<void> => {
  const rows: Record<string, unknown[]> = JSON.parse(gunzipSync(readFileSync(DATA)).toString());
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    for (const table of LEDGER) {
      const { rows: found } = await client.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [`clazz.${table}`],
      );
      const names = found[0]?.names;
      await client.query(
        `insert into clazz.${table} (${names}) select ${names} from json_populate_recordset(null::clazz.${table}, $1)
         where not exists (select from clazz.${table})`,
        [JSON.stringify(rows[`clazz.${table}`])],
      );
    }
  } finally {
    await client.end();
  }
};

let fixture: Fixture;
beforeAll(async () => {
  const adminUrl = await restoreRelease(inject('stack'), `carried_${randomBytes(4).toString('hex')}`);
  await fillLedger(adminUrl);
  fixture = await startFixture({ adminUrl });
});
afterAll(() => fixture?.stop());

const boss = () => fixture.as({ role: 'SUPERVISOR', org: ORG, sub: 'boss' });

interface Account {
  student_id: string;
  granted: string;
  consumed: string;
  balance: string;
}

/** The accounts, summed up from the ledger's entries. */
const ledgers = () =>
  fixture.sql<Account>(
    `select student_id, coalesce(sum(amount) filter (where kind = 'grant'), 0)::numeric(12, 2) as granted,
       coalesce(-sum(amount) filter (where kind in ('consume', 'reverse')), 0)::numeric(12, 2) as consumed,
       sum(amount) as balance
     from clazz.hour_entry where org_id = $1 group by 1 order by 1`,
    [ORG],
  );
const stored = () =>
  fixture.sql<Account & { seq: number }>(
    `select student_id, round(granted, 2) as granted, round(consumed, 2) as consumed, balance, seq::float from stats.account
     where org_id = $1 and gen = (select gen from stats.generation where state = 'current') order by student_id`,
    [ORG],
  );
const withoutSeq = (rows: readonly (Account & { seq: number })[]) => rows.map(({ seq: _seq, ...row }) => row);

/** The sums of the org, each with the sum of the rows from `explain`. */
const explained = async (): Promise<Record<string, [answered: string, summed: string]>> => {
  const { hours } = (await boss().get('/clazz/stats/org-overview')).body;
  const found: Record<string, [string, string]> = {};
  for (const figure of ['granted', 'consumed', 'remaining'] as const) {
    const { items } = (await boss().get(`/clazz/stats/explain?figure=${figure}&limit=100`)).body;
    const sum = items.reduce((all, row) => all + Math.round(Number(row.counts) * 100), 0);
    found[figure] = [hours[figure], (sum / 100).toFixed(2)];
  }
  return found;
};

describe('Hours from events without sums', () => {
  it('equal the ledger after the upgrade, and are explained', async () => {
    await waitUntilCaughtUp(fixture);
    expect((await ledgers()).length).toBeGreaterThan(1);
    expect(withoutSeq(await stored())).toEqual(await ledgers());
    expect((await stored()).every(({ seq }) => seq === 0)).toBe(true);
    for (const [answered, summed] of Object.values(await explained())) expect(summed).toBe(answered);
    const broken = await brokenInvariants(fixture);
    // Release 0.1.0 published one event per student, without sums, so the invariants about events do not hold.
    expect(broken.filter(({ invariant }) => !EVENT_INVARIANTS.test(invariant))).toEqual([]);
  });

  it('are continued by events with sums', async () => {
    const [first] = await ledgers();
    const grant = { student_id: first?.student_id, hours: '2.50' };
    expectOk(await boss().post('/clazz/hour/grant', grant), 201);
    await waitUntilCaughtUp(fixture);
    expect(withoutSeq(await stored())).toEqual(await ledgers());
    expect((await stored()).filter(({ seq }) => seq > 0).map(({ student_id }) => student_id)).toEqual([
      first?.student_id,
    ]);
    for (const [answered, summed] of Object.values(await explained())) expect(summed).toBe(answered);
  });

  it('are the same after a rebuild', async () => {
    const before = await readTables(fixture, ORG);
    await rebuildStatistics(fixture);
    await waitUntilCaughtUp(fixture);
    expect(withoutSeq(await stored())).toEqual(await ledgers());
    const after = await readTables(fixture, ORG);
    for (const table of ['account', 'entry', 'org_account']) expect(after[table], table).toEqual(before[table]);
  });
});
