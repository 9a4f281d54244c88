import { HOUR_MS, type InTx, newId, statement, type Sweep, type WorkerTx } from '@teaching/kit';
import { expireSome } from './expire-due.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import type { LedgerTx } from './open-books.ts';

/** Students whose accounts one transaction locks. */
const BATCH = 100;

const ORG = HOUR_LOT.some('org_id');
const ORGS = statement(
  `select distinct ${ORG.columns} from hour_lot where open and expires_at <= $1 order by org_id`,
  ORG.shape,
);

async function* expireAll(inTx: InTx): AsyncGenerator<number> {
  const orgs = await inTx((tx) => tx.query(ORGS, tx.now));
  const failures: unknown[] = [];
  for (const { org_id } of orgs) {
    try {
      let done: number;
      do {
        done = await inTx((tx) => expireSome(forOrg(tx, org_id), BATCH));
        yield done;
      } while (done === BATCH);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `hours of ${failures.length} organizations stay`);
}

/**
 * Takes out what has expired and nobody has looked at since; the ledger then says so for statistics too. Some students
 * at a time, so that nobody waits long for an account; an organization that fails is tried again with the next run and
 * keeps no other waiting.
 */
export const expireHours: Sweep = {
  name: 'hours that expired',
  done: 'accounts gave up hours that expired',
  every_ms: HOUR_MS,
  pieces: expireAll,
};

/** The job's transaction as one org's. */
const forOrg = (tx: WorkerTx, org_id: string): LedgerTx => {
  const origin = { org_id, user_id: 'system', request_id: newId() };
  const it: LedgerTx = {
    ...tx,
    org_id,
    emit: (event, aggregate_id, data) => tx.emit(origin, event, aggregate_id, data),
    // The books of an organization are saved once in a batch, so the items are complete at once.
    publishOnCommit: (publish, items) => publish(it, items),
  };
  return it;
};
