import type { Logger } from 'pino';
import { bigint } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { WorkerTx } from './tx.ts';

/** How long audit records stay in the log after they stand in the trail: time to build something else from them. */
const KEPT_DAYS = 7;
/** Batches removed at a time, so that a run stays short; what is left goes with the next. */
const BATCHES = 500;
const RUNS = 20;

/**
 * Cuts the beginning of the audit log: what is old and was read by every follower known here. The log of the
 * domain is the history and is never cut.
 */
const CUT = statement(
  `with old as (
    select first_no, first_no + cardinality(seqs) - 1 as last_no, seqs from log_batch
    where log = 'audit' and numbered_at < $2::timestamptz - interval '${KEPT_DAYS} days'
      and first_no + cardinality(seqs) - 1 <= (select min(no) from follower_position where log = $1)
    order by first_no limit ${BATCHES}
  ), entries as (
    delete from log_entry where seq = any (array(select unnest(seqs) from old))
  ), batches as (
    delete from log_batch where log = 'audit' and first_no in (select first_no from old)
  ), moved as (
    update log_head set base = greatest(base, (select max(last_no) from old)) where log = 'audit' and exists (select from old)
  ) select max(last_no) as no from old`,
  { no: bigint().nullable() },
);

export const cutAuditLog = async (log: string, tx: WorkerTx, logger: Logger): Promise<void> => {
  for (let run = 0; run < RUNS; run += 1) {
    const [cut] = await tx.query(CUT, log, tx.now);
    if (cut?.no == null) return;
    logger.info({ log, up_to: cut.no }, 'audit records were removed from the log; they stand in the trail');
  }
};
