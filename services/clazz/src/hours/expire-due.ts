import { always, p, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import { type LedgerTx, openBooks } from './open-books.ts';
import { saveBooks } from './save-books.ts';

const IS_DUE = statement(
  'select exists (select from hour_lot where org_id = $1 and student_id = $2 and open and expires_at <= $3) as due',
  { due: always(p.boolean()) },
);
const STUDENT = HOUR_LOT.some('student_id');
const DUE = statement(
  `select distinct ${STUDENT.columns} from hour_lot where org_id = $1 and open and expires_at <= $2
   order by student_id limit $3`,
  STUDENT.shape,
);

/** Takes out what has expired: opening a book does it, so this only has to open and save. */
const expireStudents = async (tx: LedgerTx, students: readonly string[]): Promise<void> => {
  const policy = await policyInForce(tx, tx.org_id);
  const books = await openBooks(tx, students, policy);
  saveBooks(tx, books);
};

/** Takes out what has expired of some students of an org, at most so many, and answers how many they were. */
export const expireSome = async (tx: LedgerTx, limit: number): Promise<number> => {
  const due = await tx.query(DUE, tx.org_id, tx.now, limit);
  const students = due.map(({ student_id }) => student_id);
  if (students.length > 0) await expireStudents(tx, students);
  return students.length;
};

/** Before an account is read. Without anything due, it locks nothing. */
export const expireBeforeReading = async (tx: LedgerTx, student_id: string): Promise<void> => {
  const [found] = await tx.query(IS_DUE, tx.org_id, student_id, tx.now);
  if (found?.due === true) await expireStudents(tx, [student_id]);
};
