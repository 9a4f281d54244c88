import { notNull, bigint } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { RunInTransaction } from './worker-transaction.ts';

/**
 * Days for which audit records stay in the event log after they are in the audit log, so that other consumers can read
 * them.
 */
const RETENTION_DAYS = 7;
/** Entries removed at a time, beyond the first batch. */
const BATCH = 1_000;

/**
 * Cuts old entries, which all known followers have read, from the beginning of the `audit` event log. The event log of
 * the domain is the history and is never cut.
 */
const CUT = statement(
  `with first as (
    select first_no, first_no + cardinality(seqs) - 1 as last_no, seqs from log_batch
    where log = 'audit' and numbered_at < $2::timestamptz - interval '${RETENTION_DAYS} days'
      and first_no + cardinality(seqs) - 1 <= (select min(no) from follower_position where log = $1)
    order by first_no limit ${BATCH}
  ), counted as (
    select *, sum(cardinality(seqs)) over (order by first_no) - cardinality(seqs) as before from first
  ), old as (
    select * from counted where before < ${BATCH}
  ), entries as (
    delete from log_entry where seq = any (array(select unnest(seqs) from old))
  ), batches as (
    delete from log_batch where log = 'audit' and first_no in (select first_no from old)
  ), moved as (
    update log_head set base = greatest(base, (select max(last_no) from old)) where log = 'audit' and exists (select from old)
  ) select coalesce(sum(cardinality(seqs)), 0)::bigint as removed from old`,
  { removed: notNull(bigint()) },
);

/**
 * Removes audit records that are in the audit log from the event log, in batches. `log` is the name by which followers
 * know it. Yields the number of removed entries.
 */
export async function* removePublishedAuditRecords(log: string, inTx: RunInTransaction): AsyncGenerator<number> {
  let removed: number;
  do {
    const [cut] = await inTx((tx) => tx.query(CUT, log, tx.now));
    removed = cut?.removed ?? 0;
    yield removed;
  } while (removed > 0);
}
