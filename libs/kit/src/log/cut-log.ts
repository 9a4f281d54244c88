import { statement } from '../db/statement.ts';
import type { Job } from '../job.ts';

/** How long audit records stay in the log after they stand in the trail: time to build something else from them. */
const KEPT_DAYS = 7;
/** Removed at a time, so that a run stays short; what is left goes with the next. */
const ROWS = 5_000;
const RUNS = 20;

/**
 * Cuts the beginning of the audit log: what is old and was read by every follower known here. The log of the
 * domain is the history and is never cut.
 */
const CUT = statement<{ no: number | null }>(`
  with old as (
    select no from log_entry where log = 'audit' and no > (select base from log_head where log = 'audit')
      and no <= coalesce((select min(no) from follower_position where log = $1), 0)
      and happened_at < $2::timestamptz - interval '${KEPT_DAYS} days'
    order by no limit ${ROWS}
  ), gone as (
    delete from log_entry where log = 'audit' and no <= (select max(no) from old) returning no
  ), moved as (
    update log_head set base = greatest(base, (select max(no) from old)) where log = 'audit' and exists (select from old)
  ) select max(no) as no from gone`);

export const cutAuditLog = (log: string): Job => ({
  name: 'cut the audit log',
  every_ms: 600_000,
  run: async (tx, logger) => {
    for (let run = 0; run < RUNS; run += 1) {
      const [cut] = await tx.query(CUT, log, tx.now);
      if (cut?.no == null) return;
      logger.info({ log, up_to: cut.no }, 'audit records were removed from the log; they stand in the trail');
    }
  },
});
