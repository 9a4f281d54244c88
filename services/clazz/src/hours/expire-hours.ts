import {
  notNull,
  type Condition,
  HOUR_MS,
  type RunInTransaction,
  newId,
  p,
  type Session,
  statement,
  type Sweep,
  type WorkerTransaction,
} from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { type LedgerTx, openLedgers, saveLedgers } from './ledger.ts';
import { HOUR_LOT } from './hours.tables.ts';

const IS_STUDENT_DUE = statement(
  'select exists (select from hour_lot where org_id = $1 and student_id = $2 and open and expires_at <= $3) as due',
  { due: notNull(p.boolean()) },
);
const STUDENT = HOUR_LOT.pick('student_id');
const DUE_STUDENTS = statement(
  `select distinct ${STUDENT.columns} from hour_lot where org_id = $1 and open and expires_at <= $2
   order by student_id limit $3`,
  STUDENT.shape,
);

/** Expires hours of students: opening a ledger does it, so it is only opened and saved. */
const expireStudents = async (tx: LedgerTx, students: readonly string[]): Promise<void> => {
  const policy = await policyInForce(tx, tx.org_id);
  const ledgers = await openLedgers(tx, students, policy);
  saveLedgers(tx, ledgers);
};

/** Expires hours of at most `limit` students of an org. Returns their number. */
const expireSome = async (tx: LedgerTx, limit: number): Promise<number> => {
  const due = await tx.query(DUE_STUDENTS, tx.org_id, tx.now, limit);
  const students = due.map(({ student_id }) => student_id);
  if (students.length > 0) await expireStudents(tx, students);
  return students.length;
};

/** Expires due hours of a student. Call it before an account is read. It locks nothing if no hours are due. */
export const expireDueHours = async (tx: LedgerTx, student_id: string): Promise<void> => {
  const [found] = await tx.query(IS_STUDENT_DUE, tx.org_id, student_id, tx.now);
  if (found?.due === true) await expireStudents(tx, [student_id]);
};

/** The most students whose ledgers are open at the same time. */
const AT_ONCE = 500;

/** SQL condition: the org has expired hours that the ledger still contains. Both parameters are SQL. */
export const IS_DUE = (org: string, now: string): string =>
  `exists (select from hour_lot where org_id = ${org} and open and expires_at <= ${now})`;
const IS_ANY_DUE = statement(`select ${IS_DUE('$1', '$2')} as due`, { due: notNull(p.boolean()) });

/** A join for lists of hours. `due.now` is true if the org has expired hours that the ledger still contains. */
export const DUE_JOIN: Condition = `cross join (select ${IS_DUE('?', '?')} as now) as due`;
export const DUE_COLUMN = { columns: 'due.now as due', shape: { due: notNull(p.boolean()) } };
/** The parameters of `DUE_JOIN`. */
export const dueParams = ({ org_id, now }: Session): readonly unknown[] => [org_id, now];

/**
 * Reads hours of an org after all due expiries are in the ledger.
 * Usually none is due. The rows show this, so no further statement is needed. Otherwise the due hours are expired in
 * batches, and `read` runs again.
 * The cost is bounded by the expiries since the last read or the hourly job. Each lot expires once.
 */
export const readAfterExpiry = async <R extends { items: readonly { due: boolean }[] }>(
  session: Session,
  read: () => Promise<R>,
): Promise<R> => {
  const found = await read();
  const [first] = found.items;
  const due = first?.due ?? (await session.queryOne(IS_ANY_DUE, session.org_id, session.now))?.due;
  if (due !== true) return found;
  while ((await expireSome(session, AT_ONCE)) === AT_ONCE);
  return read();
};

/** The most students whose accounts one transaction locks. */
const BATCH = 100;

const ORG = HOUR_LOT.pick('org_id');
const ORGS = statement(
  `select distinct ${ORG.columns} from hour_lot where open and expires_at <= $1 order by org_id`,
  ORG.shape,
);

async function* expireAll(inTx: RunInTransaction): AsyncGenerator<number> {
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
  if (failures.length > 0)
    throw new AggregateError(failures, `the hours of ${failures.length} organization(s) could not be expired`);
}

/**
 * Expires due hours that were not read since, so that statistics see it in the ledger.
 * It runs in small batches, so that no request waits long for an account. An organization that fails is tried again
 * with the next run and does not delay others.
 */
export const expireHours: Sweep = {
  name: 'hours that expired',
  done: 'accounts gave up hours that expired',
  every_ms: HOUR_MS,
  pieces: expireAll,
};

/** The transaction of the job, limited to one org. */
const forOrg = (tx: WorkerTransaction, org_id: string): LedgerTx => {
  const origin = { org_id, user_id: 'system', request_id: newId() };
  const it: LedgerTx = {
    ...tx,
    org_id,
    emit: (event, aggregate_id, data) => tx.emit(origin, event, aggregate_id, data),
    // The ledgers of an organization are saved once in a batch, so all items are complete.
    publishOnCommit: (publish, items) => publish(it, items),
  };
  return it;
};
