import { HOUR_MS, type Job, newId, type Row, statement, type WorkerTx } from '@teaching/kit';
import { expireStudents } from './expire-due.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import type { LedgerTx } from './open-books.ts';

const BATCH = 500;

const STUDENT = HOUR_LOT.some('org_id', 'student_id');
const DUE = statement(
  `select distinct ${STUDENT.columns} from hour_lot where open and expires_at <= $1
   order by org_id, student_id limit ${BATCH}`,
  STUDENT.shape,
);

/** Takes out what has expired and nobody has looked at since; the ledger then says so for statistics too. */
export const expireHours: Job = {
  name: 'expire hours',
  every_ms: HOUR_MS,
  run: async (tx) => {
    let found: Row<typeof STUDENT>[];
    do {
      found = await tx.query(DUE, tx.now);
      for (const [org_id, rows] of Map.groupBy(found, (row) => row.org_id)) {
        const students = rows.map((row) => row.student_id);
        await expireStudents(forOrg(tx, org_id), students);
      }
    } while (found.length === BATCH);
  },
};

/** The job's transaction as one org's. */
const forOrg = (tx: WorkerTx, org_id: string): LedgerTx => {
  const origin = { org_id, user_id: 'system', request_id: newId() };
  const it: LedgerTx = {
    ...tx,
    org_id,
    emit: (event, aggregate_id, data) => tx.emit(origin, event, aggregate_id, data),
    // Each org's books are saved once for a batch, so what is to be told is complete at once.
    tellOnce: (tell, items) => tell(it, items),
  };
  return it;
};
