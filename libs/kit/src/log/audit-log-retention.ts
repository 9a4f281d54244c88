import { notNull, bigint } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { RunInTransaction } from './worker-transaction.ts';

/** Removes one batch; the rule is in the function of the owner (`appendOnlyLog`). */
const REMOVE = statement('select remove_old_audit_records($1) as removed', { removed: notNull(bigint()) });

/**
 * Removes audit records from the event log a week after they were numbered, if all known followers have read them, in
 * batches. `log` is the name by which followers know it. Yields the number of removed entries.
 */
export async function* removePublishedAuditRecords(log: string, inTx: RunInTransaction): AsyncGenerator<number> {
  let removed: number;
  do {
    const [batch] = await inTx((tx) => tx.query(REMOVE, log));
    removed = batch?.removed ?? 0;
    yield removed;
  } while (removed > 0);
}
