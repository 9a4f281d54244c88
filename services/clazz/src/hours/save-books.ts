import { auditMoves } from './audit-moves.ts';
import type { Book } from './book.rules.ts';
import { HOUR_ACCOUNT } from './hour-account.table.ts';
import { HOUR_DRAW } from './hour-draw.table.ts';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import type { Books, LedgerTx } from './open-books.ts';
import { removeDraws, saveDraws } from './save-draws.ts';
import { accountOf, publishAccountEvents, sumsOf } from './tell-accounts.ts';

/** Of a lot only its hours and its expiry ever change, so nothing else of it is sent. */
const CHANGED_LOTS = HOUR_LOT.updateWithout(
  'seq',
  'kind',
  'course_id',
  'granted',
  'price_minor',
  'currency',
  'package_id',
  'package_version',
  'package_title',
  'created_at',
);

/**
 * Stores what happened in open books: nine statements at most, however many students and entries, and one
 * event for all whose hours moved. `clazzOf` names the class of each lesson that was charged.
 */
export const saveBooks = (tx: LedgerTx, books: Books, clazzOf: ReadonlyMap<string, string> = new Map()): void => {
  const { org_id } = tx;
  const created_at = tx.now.toISOString();
  const moved = [...books.values()].filter((book) => book.entries.length > 0);
  /** Rows of all books at once, each with its student. */
  const rowsOf = <T extends object>(rows: (book: Book) => readonly T[]) =>
    moved.flatMap((book) => rows(book).map((row) => ({ org_id, student_id: book.student_id, ...row })));
  const lots = (rows: (book: Book) => Book['lots']) => rowsOf(rows).map((lot) => asDecimals(AMOUNTS.lot, lot));
  const draws = (rows: (book: Book) => Book['draws']) =>
    rowsOf(rows).map(({ has_row: _known, ...draw }) => asDecimals(AMOUNTS.draw, draw));
  const entries = rowsOf((book) => book.entries).map((entry) => ({ ...asDecimals(AMOUNTS.entry, entry), created_at }));
  tx.insert(HOUR_LOT, ...lots((book) => book.addedLots));
  tx.update(CHANGED_LOTS, ...lots((book) => book.changedLots));
  tx.insert(HOUR_ENTRY, ...entries);
  tx.update(HOUR_ACCOUNT, ...rowsOf((book) => [{ last_seq: book.last_seq, ...sumsOf(book) }]));
  removeDraws(
    tx,
    draws((book) => book.removedDraws),
  );
  saveDraws(
    tx,
    draws((book) => book.changedDraws),
  );
  tx.insert(HOUR_DRAW, ...draws((book) => book.addedDraws));
  auditMoves(tx, moved);
  tx.publishOnCommit(
    publishAccountEvents,
    moved.map((book) => accountOf(book, clazzOf)),
  );
};
