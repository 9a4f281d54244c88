import { p } from '@mikro-orm/postgresql';
import { always, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import { type LedgerTx, openBooks } from './open-books.ts';
import { saveBooks } from './save-books.ts';

const IS_DUE = statement(
  'select exists (select from hour_lot where org_id = $1 and student_id = $2 and open and expires_at <= $3) as due',
  { due: always(p.boolean()) },
);

/** Takes out what has expired: opening a book does it, so this only has to open and save. */
export const expireStudents = async (tx: LedgerTx, students: readonly string[]): Promise<void> => {
  const policy = await policyInForce(tx, tx.org_id);
  const books = await openBooks(tx, students, policy);
  saveBooks(tx, books);
};

/** Before an account is read. Without anything due, it locks nothing. */
export const expireBeforeReading = async (tx: LedgerTx, student_id: string): Promise<void> => {
  const [found] = await tx.query(IS_DUE, tx.org_id, student_id, tx.now);
  if (found?.due === true) await expireStudents(tx, [student_id]);
};
