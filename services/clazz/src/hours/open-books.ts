import { type EventData, type EventDef, type Policy, toHundredths } from '@teaching/contracts';
import { newId, type Statement, statement } from '@teaching/kit';
import type { Account, Draw, Lot } from './account.rules.ts';
import { Book } from './book.rules.ts';

/** What the ledger needs of a request's session, or of a job's transaction for one org. */
export interface LedgerTx {
  org_id: string;
  now: Date;
  query<R>(what: Statement<R>, ...params: readonly unknown[]): Promise<R[]>;
  run(what: Statement<unknown>, ...params: readonly unknown[]): void;
  emit<E extends EventDef>(event: E, aggregate_id: string, data: EventData<E>): void;
  tellOnce<T>(tell: (tx: LedgerTx, items: readonly T[]) => void, items: readonly T[]): void;
}

type AsText<T, K extends keyof T> = Omit<T, K> & Record<K, string>;
type LotRow = AsText<Lot, 'granted' | 'remaining'> & { student_id: string };
interface AccountRow {
  student_id: string;
  last_seq: number | null;
  balance: string;
  granted: string;
  consumed: string;
}
type DrawRow = AsText<Draw, 'amount'> & { student_id: string };

const ENSURE = statement(
  `insert into hour_account (org_id, student_id)
   select $1, s from unnest($2::text[]) as s order by s on conflict do nothing`,
);
/** In one order everywhere, so that two who move hours of the same students never wait in a circle. */
const LOCK = statement<AccountRow>(
  `select student_id, last_seq, balance, granted, consumed from hour_account
   where org_id = $1 and student_id = any($2::text[]) order by student_id for update`,
);
/** Lots with hours, and those that a charge may have to be given back to. */
const LOTS = statement<LotRow>(
  `select student_id, id, seq, kind, course_id, granted, remaining, price_minor, currency, package_id, package_version,
     expires_at, created_at
   from hour_lot l where org_id = $1 and student_id = any($2::text[])
     and (remaining > 0 or exists (select from hour_draw d where d.org_id = $1 and d.lesson_id = any($3::uuid[])
       and d.student_id = l.student_id and d.lot_id = l.id))
   order by seq`,
);
/**
 * Debts with whatever else stands behind the same charge, and what stands behind the charges that may be
 * given back; oldest first.
 */
const DRAWS = statement<DrawRow>(
  `select student_id, id, seq, lesson_id, mark_revision, course_id, lot_id, amount from hour_draw
   where org_id = $1 and student_id = any($2::text[]) and (lot_id is null or lesson_id = any($3::uuid[])
     or lesson_id = any(array(select o.lesson_id from hour_draw o
       where o.org_id = $1 and o.student_id = any($2::text[]) and o.lot_id is null)))
   order by seq`,
);

const toLot = ({ student_id: _owner, ...row }: LotRow): Lot => ({
  ...row,
  granted: toHundredths(row.granted),
  remaining: toHundredths(row.remaining),
});
const toDraw = ({ student_id: _owner, ...row }: DrawRow): Draw => ({ ...row, amount: toHundredths(row.amount) });

/** The open books of some students, by student. */
export type Books = ReadonlyMap<string, Book>;

/**
 * Locks the accounts of these students and opens their books: four statements, however many they are.
 * `lesson_ids` names the lessons whose charges may be given back.
 */
export const openBooks = async (
  tx: LedgerTx,
  students: Iterable<string>,
  policy: Policy,
  lesson_ids: readonly string[] = [],
): Promise<Books> => {
  const ids = [...new Set(students)].sort();
  if (ids.length === 0) return new Map();
  tx.run(ENSURE, tx.org_id, ids);
  const [accounts, lots, draws] = await Promise.all([
    tx.query(LOCK, tx.org_id, ids),
    tx.query(LOTS, tx.org_id, ids, lesson_ids),
    tx.query(DRAWS, tx.org_id, ids, lesson_ids),
  ]);
  const lotsOf = Map.groupBy(lots, (lot) => lot.student_id);
  const drawsOf = Map.groupBy(draws, (draw) => draw.student_id);
  const { draw_order, reversal_extension_days } = policy.hours;
  const rules = { now: tx.now.toISOString(), draw_order, reversal_extension_days, newId };
  const toAccount = ({ student_id, balance, granted, consumed, last_seq }: AccountRow): Account => ({
    student_id,
    balance: toHundredths(balance),
    granted: toHundredths(granted),
    consumed: toHundredths(consumed),
    last_seq: last_seq ?? 0,
    lots: (lotsOf.get(student_id) ?? []).map(toLot),
    draws: (drawsOf.get(student_id) ?? []).map(toDraw),
  });
  return new Map(accounts.map((account) => [account.student_id, new Book(toAccount(account), rules)]));
};

/** The open book of one student. */
export const bookOf = (books: Books, student_id: string): Book => {
  const book = books.get(student_id);
  if (book === undefined) throw new Error(`the book of ${student_id} is not open`);
  return book;
};
