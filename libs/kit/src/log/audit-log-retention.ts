import { always, bigint } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { RunInTransaction } from './worker-transaction.ts';

/** How long audit records stay in the log after they stand in the trail: time to build something else from them. */
const KEPT_DAYS = 7;
/** Entries removed at a time, beyond those of one batch. */
const ENTRIES = 1_000;

/**
 * Cuts the beginning of the audit log: what is old and was read by every follower known here. The log of the
 * domain is the history and is never cut.
 */
const CUT = statement(
  `with first as (
    select first_no, first_no + cardinality(seqs) - 1 as last_no, seqs from log_batch
    where log = 'audit' and numbered_at < $2::timestamptz - interval '${KEPT_DAYS} days'
      and first_no + cardinality(seqs) - 1 <= (select min(no) from follower_position where log = $1)
    order by first_no limit ${ENTRIES}
  ), counted as (
    select *, sum(cardinality(seqs)) over (order by first_no) - cardinality(seqs) as before from first
  ), old as (
    select * from counted where before < ${ENTRIES}
  ), entries as (
    delete from log_entry where seq = any (array(select unnest(seqs) from old))
  ), batches as (
    delete from log_batch where log = 'audit' and first_no in (select first_no from old)
  ), moved as (
    update log_head set base = greatest(base, (select max(last_no) from old)) where log = 'audit' and exists (select from old)
  ) select coalesce(sum(cardinality(seqs)), 0)::bigint as removed from old`,
  { removed: always(bigint()) },
);

/** Removes audit records from the log that stand in the trail, piece by piece; `log` as followers call it. */
export async function* removePublishedAuditRecords(log: string, inTx: RunInTransaction): AsyncGenerator<number> {
  let removed: number;
  do {
    const [cut] = await inTx((tx) => tx.query(CUT, log, tx.now));
    removed = cut?.removed ?? 0;
    yield removed;
  } while (removed > 0);
}
