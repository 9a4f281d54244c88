import { afterAll, assert, beforeAll, expect, it, vi } from 'vitest';
import { auditCalls, clazzCalls } from '../../../libs/contracts/src/index.ts';
import { createPool } from '../../../libs/kit/src/db/pool.ts';
import { createLogger } from '../../../libs/kit/src/index.ts';
import { removePublishedAuditRecords } from '../../../libs/kit/src/log/audit-log-retention.ts';
import { logName } from '../../../libs/kit/src/log/offset.ts';
import { inWorkerTransaction } from '../../../libs/kit/src/log/worker-transaction.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';
import { POLL_OPTIONS } from './poll-options.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
});
afterAll(() => fixture?.stop());

const newClass = () => supervisor().ok(clazzCalls.createClazz, { body: { name: 'A', lead_teacher_id: 'lee' } });
const complete = () =>
  vi.waitFor(async () => assert((await supervisor().ok(auditCalls.getAuditLogHead)).complete), POLL_OPTIONS);
const inLog = async (log: string): Promise<number> =>
  (await fixture.sql<{ n: number }>('select count(*)::int as n from clazz.log_entry where log = $1', [log]))[0]?.n ??
  -1;

/** Runs the retention job of the service once. Returns the number of records that each transaction removed. */
const runRetention = async (): Promise<number[]> => {
  const pool = createPool(
    fixture.envFor('clazz')['WORKER_DATABASE_URL'] ?? '',
    1,
    'test',
    createLogger('clazz', 'silent'),
  );
  const deps = { pool, clock: () => new Date(), onEvents: () => {} };
  const counts: number[] = [];
  for await (const removed of removePublishedAuditRecords(logName('clazz', 'audit'), (work) =>
    inWorkerTransaction(deps, work),
  ))
    counts.push(removed);
  await pool.end();
  return counts;
};

it('removes audit records from the log a week after they are stored in the chain, and no domain events', async () => {
  await newClass();
  await complete();
  const [audited, published] = [await inLog('audit'), await inLog('domain')];
  await runRetention();
  expect([await inLog('audit'), await inLog('domain')]).toEqual([audited, published]);
  await fixture.sql("update clazz.log_batch set numbered_at = now() - interval '8 days'");
  await runRetention();
  expect([await inLog('audit'), await inLog('domain')]).toEqual([0, published]);
  await newClass();
  await complete();
  expect(await supervisor().ok(auditCalls.verifyAuditLog)).toMatchObject({ ok: true, complete: true, breaks: [] });
});

it('removes old audit records from the log in batches of at most 1,000', async () => {
  // 4,000 old records in batches of 100 at the beginning of the log, which every follower has processed.
  const [head] = await fixture.sql<{ no: number }>("select no::int from clazz.log_head where log = 'audit'");
  await fixture.sql(`
    with entries as (
      insert into clazz.log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at)
      select 'audit', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'clazz.audit.recorded.v2', 'a', 'b', gen_random_uuid(), now()
      from generate_series(1, 4000) returning seq
    ), batches as (select (row_number() over (order by seq) - 1) / 100 as batch, seq from entries)
    insert into clazz.log_batch (log, first_no, first_seq, last_seq, seqs, previous, numbered_at)
    select 'audit', batch * 100 - 10000, min(seq), max(seq), array_agg(seq), array[]::uuid[], now() - interval '30 days'
    from batches group by batch`);
  const before = await inLog('audit');
  expect(await runRetention()).toEqual([1000, 1000, 1000, 1000, 0]);
  expect(await inLog('audit')).toBe(before - 4_000);
  expect(await fixture.sql("select no::int from clazz.log_head where log = 'audit'")).toEqual([head]);
});
