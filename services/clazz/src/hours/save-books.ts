import { fromHundredths } from '@teaching/contracts';
import { statement } from '@teaching/kit';
import type { Book } from './book.rules.ts';
import type { Books, LedgerTx } from './open-books.ts';
import { accountOf, sumsToWire, tellAccounts } from './tell-accounts.ts';

const ADD_LOTS = statement(
  `insert into hour_lot (org_id, student_id, id, seq, kind, course_id, granted, remaining, price_minor, currency,
     package_id, package_version, expires_at, created_at)
   select $1, l.* from json_to_recordset($2) as l(student_id text, id uuid, seq int, kind text, course_id uuid,
     granted numeric, remaining numeric, price_minor bigint, currency text, package_id uuid, package_version int,
     expires_at timestamptz, created_at timestamptz)`,
);
const SAVE_LOTS = statement(
  `update hour_lot t set remaining = l.remaining, expires_at = l.expires_at
   from json_to_recordset($2) as l(student_id text, id uuid, remaining numeric, expires_at timestamptz)
   where t.org_id = $1 and t.student_id = l.student_id and t.id = l.id`,
);
const ADD_ENTRIES = statement(
  `insert into hour_entry (org_id, created_at, student_id, seq, id, kind, lot_id, amount, balance_before,
     balance_after, lesson_id, mark_revision, policy_version, lot_expires_at, actor_id, reason)
   select $1, $3, e.* from json_to_recordset($2) as e(student_id text, seq int, id uuid, kind text, lot_id uuid,
     amount numeric, balance_before numeric, balance_after numeric, lesson_id uuid, mark_revision int,
     policy_version int, lot_expires_at timestamptz, actor_id text, reason text)`,
);
const SAVE_ACCOUNTS = statement(
  `update hour_account t set last_seq = a.last_seq, balance = a.balance, granted = a.granted, consumed = a.consumed
   from json_to_recordset($2) as a(student_id text, last_seq int, balance numeric, granted numeric, consumed numeric)
   where t.org_id = $1 and t.student_id = a.student_id`,
);
const REMOVE_DRAWS = statement(
  `delete from hour_draw t using json_to_recordset($2) as d(lesson_id uuid, student_id text, id uuid)
   where t.org_id = $1 and t.lesson_id = d.lesson_id and t.student_id = d.student_id and t.id = d.id`,
);
const REMOVE_ADJUSTED = statement(
  `delete from hour_draw t using json_to_recordset($2) as d(student_id text, id uuid)
   where t.org_id = $1 and t.lesson_id is null and t.student_id = d.student_id and t.id = d.id`,
);
const addDraws = (conflict: string) =>
  statement(
    `insert into hour_draw (org_id, student_id, id, seq, lesson_id, mark_revision, course_id, lot_id, amount)
     select $1, d.* from json_to_recordset($2) as d(student_id text, id uuid, seq int, lesson_id uuid, mark_revision int,
       course_id uuid, lot_id uuid, amount numeric)
     on conflict ${conflict} do update set amount = excluded.amount`,
  );
const SAVE_DRAWS = addDraws(
  `(org_id, lesson_id, hashtextextended(student_id || ' ' || coalesce(lot_id::text, ''), 0)) where lesson_id is not null`,
);
const SAVE_ADJUSTED = addDraws('(org_id, student_id, id) where lesson_id is null');

/** Rows of all books at once, each with its student. */
const rowsOf = <T extends object>(books: readonly Book[], part: (book: Book) => readonly T[]) =>
  books.flatMap((book) => part(book).map((row) => ({ ...row, student_id: book.student_id })));

/** What stands behind lessons, and what was owed without one. */
const byLesson = <T extends { lesson_id: string | null }>(draws: readonly T[]): [T[], T[]] => [
  draws.filter(({ lesson_id }) => lesson_id !== null),
  draws.filter(({ lesson_id }) => lesson_id === null),
];

const lotToWire = <T extends { granted: number; remaining: number }>(lot: T) => ({
  ...lot,
  granted: fromHundredths(lot.granted),
  remaining: fromHundredths(lot.remaining),
});

const entryToWire = <T extends { amount: number; balance_before: number; balance_after: number }>(entry: T) => ({
  ...entry,
  amount: fromHundredths(entry.amount),
  balance_before: fromHundredths(entry.balance_before),
  balance_after: fromHundredths(entry.balance_after),
});

/**
 * Stores what happened in open books: six statements at most, however many students and entries, and one
 * event for all whose hours moved. `clazzOf` names the class of each lesson that was charged.
 */
export const saveBooks = (tx: LedgerTx, books: Books, clazzOf: ReadonlyMap<string, string> = new Map()): void => {
  const moved = [...books.values()].filter((book) => book.entries.length > 0);
  const store = (what: typeof ADD_LOTS, rows: readonly object[], ...more: unknown[]): void => {
    if (rows.length > 0) tx.run(what, tx.org_id, JSON.stringify(rows), ...more);
  };
  store(ADD_LOTS, rowsOf(moved, (book) => book.addedLots).map(lotToWire));
  store(SAVE_LOTS, rowsOf(moved, (book) => book.changedLots).map(lotToWire));
  store(ADD_ENTRIES, rowsOf(moved, (book) => book.entries).map(entryToWire), tx.now);
  store(
    SAVE_ACCOUNTS,
    rowsOf(moved, (book) => [{ last_seq: book.last_seq, ...sumsToWire(book) }]),
  );
  const [removed, removedAdjusted] = byLesson(rowsOf(moved, (book) => book.removedDraws));
  store(REMOVE_DRAWS, removed);
  store(REMOVE_ADJUSTED, removedAdjusted);
  const changed = rowsOf(moved, (book) => book.changedDraws);
  const [drawn, adjusted] = byLesson(changed.map((draw) => ({ ...draw, amount: fromHundredths(draw.amount) })));
  store(SAVE_DRAWS, drawn);
  store(SAVE_ADJUSTED, adjusted);
  tx.tellOnce(
    tellAccounts,
    moved.map((book) => accountOf(book, clazzOf)),
  );
};
