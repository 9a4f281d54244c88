import { fromHundredths } from '@teaching/contracts';
import { type Statement, statement } from '@teaching/kit';
import type { Draw } from './account.rules.ts';
import type { Book } from './book.rules.ts';
import { HOUR_ACCOUNT } from './hour-account.table.ts';
import { HOUR_DRAW } from './hour-draw.table.ts';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import type { Books, LedgerTx } from './open-books.ts';
import { accountOf, sumsOf, tellAccounts } from './tell-accounts.ts';

/** Of a lot only its hours and its expiry ever change, so nothing else of it is sent. */
const SAVE_LOTS = statement(
  `update hour_lot t set remaining = l.remaining, expires_at = l.expires_at
   from json_populate_recordset(null::hour_lot, $1) as l
   where t.org_id = l.org_id and t.student_id = l.student_id and t.id = l.id`,
);
const REMOVE_DRAWS = statement(
  `delete from hour_draw t using json_populate_recordset(null::hour_draw, $1) as d
   where t.org_id = d.org_id and t.lesson_id = d.lesson_id and t.student_id = d.student_id and t.id = d.id`,
);
const REMOVE_ADJUSTED = statement(
  `delete from hour_draw t using json_populate_recordset(null::hour_draw, $1) as d
   where t.org_id = d.org_id and t.lesson_id is null and t.student_id = d.student_id and t.id = d.id`,
);
const saveDraws = (conflict: string) =>
  statement(
    `insert into hour_draw (${HOUR_DRAW.columns})
     select ${HOUR_DRAW.columns} from json_populate_recordset(null::hour_draw, $1)
     on conflict ${conflict} do update set amount = excluded.amount`,
  );
const SAVE_DRAWS = saveDraws(
  `(org_id, lesson_id, hashtextextended(student_id || ' ' || coalesce(lot_id::text, ''), 0)) where lesson_id is not null`,
);
const SAVE_ADJUSTED = saveDraws('(org_id, student_id, id) where lesson_id is null');

/** What stands behind lessons, and what was owed without one. */
const byLesson = <T extends Pick<Draw, 'lesson_id'>>(draws: readonly T[]): [T[], T[]] => [
  draws.filter(({ lesson_id }) => lesson_id !== null),
  draws.filter(({ lesson_id }) => lesson_id === null),
];

/**
 * Stores what happened in open books: six statements at most, however many students and entries, and one
 * event for all whose hours moved. `clazzOf` names the class of each lesson that was charged.
 */
export const saveBooks = (tx: LedgerTx, books: Books, clazzOf: ReadonlyMap<string, string> = new Map()): void => {
  const { org_id } = tx;
  const created_at = tx.now.toISOString();
  const moved = [...books.values()].filter((book) => book.entries.length > 0);
  /** Rows of all books at once, each with its student. */
  const rowsOf = <T extends object>(rows: (book: Book) => readonly T[]) =>
    moved.flatMap((book) => rows(book).map((row) => ({ org_id, student_id: book.student_id, ...row })));
  const store = (what: Statement<unknown, [unknown, ...unknown[]]>, rows: readonly object[]): void => {
    if (rows.length > 0) tx.run(what, JSON.stringify(rows));
  };
  const added = rowsOf((book) => book.addedLots);
  tx.insert(HOUR_LOT, ...added.map((lot) => asDecimals(AMOUNTS.lot, lot)));
  store(
    SAVE_LOTS,
    rowsOf((book) =>
      book.changedLots.map(({ id, remaining, expires_at }) => ({
        id,
        remaining: fromHundredths(remaining),
        expires_at,
      })),
    ),
  );
  const entries = rowsOf((book) => book.entries);
  tx.insert(HOUR_ENTRY, ...entries.map((entry) => ({ ...asDecimals(AMOUNTS.entry, entry), created_at })));
  tx.update(HOUR_ACCOUNT, ...rowsOf((book) => [{ last_seq: book.last_seq, ...sumsOf(book) }]));
  const [removed, removedAdjusted] = byLesson(
    rowsOf((book) => book.removedDraws.map(({ id, lesson_id }) => ({ id, lesson_id }))),
  );
  store(REMOVE_DRAWS, removed);
  store(REMOVE_ADJUSTED, removedAdjusted);
  const [drawn, adjusted] = byLesson(rowsOf((book) => book.changedDraws.map((draw) => asDecimals(AMOUNTS.draw, draw))));
  store(SAVE_DRAWS, drawn);
  store(SAVE_ADJUSTED, adjusted);
  tx.tellOnce(
    tellAccounts,
    moved.map((book) => accountOf(book, clazzOf)),
  );
};
