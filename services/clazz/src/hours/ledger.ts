import type { EventData, EventDef, Policy } from '@teaching/contracts';
import {
  notNull,
  hundredths,
  instant,
  newId,
  p,
  type Row,
  type RowOf,
  statement,
  type Statement,
  type WorkerTransaction,
  type StoredRow,
} from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { accountOf, auditMoves, publishAccountEvents, sumsOf } from './account-events.ts';
import type { Draw, Expired, Lot } from './account.rules.ts';
import { AMOUNTS, asDecimals, inHundredths } from './amounts.rules.ts';
import { Book } from './book.rules.ts';
import { HOUR_ACCOUNT, HOUR_DRAW, HOUR_ENTRY, HOUR_LOT } from './hours.tables.ts';

/** What the ledger needs of a request's session, or of a job's transaction for one org. */
export interface LedgerTx extends Pick<WorkerTransaction, 'now' | 'query' | 'run' | 'insert' | 'update'> {
  org_id: string;
  emit<E extends EventDef>(event: E, aggregate_id: string, data: EventData<E>): void;
  publishOnCommit<T>(publish: (tx: LedgerTx, items: readonly T[]) => void, items: readonly T[]): void;
}

const ENSURE_ACCOUNTS = statement(
  `insert into hour_account (org_id, student_id)
   select $1, s from unnest($2::text[]) as s order by s on conflict do nothing`,
);
const ACCOUNT = HOUR_ACCOUNT.omit('org_id');
/**
 * In one order everywhere, so that two transactions that move hours of the same students never wait in a circle. Only when
 * an account begins between the reads of two transactions does Postgres end one of them, which is run again (`retryLostRaces`).
 */
const LOCK_ACCOUNTS = statement(
  `select ${ACCOUNT.columns} from hour_account
   where org_id = $1 and student_id = any($2::text[]) order by student_id for update`,
  ACCOUNT.shape,
);
const LOT = HOUR_LOT.omit('org_id');
/** The entries by which hours of a lot `l` have expired since the first of some lessons began. */
const expiredSince = (lesson_ids: string): string => `hour_entry e
  where e.org_id = $1 and e.lot_id = l.id and e.kind = 'expire' and e.lot_expires_at > (
    select min(starts_at) from lesson where org_id = $1 and id = any(${lesson_ids}::uuid[]))`;
/** Lots with hours, those that a charge may have to be given back to, and those that had hours when a lesson began. */
const LOTS = statement(
  `select ${LOT.columns} from hour_lot l where org_id = $1 and student_id = any($2::text[])
     and (remaining > 0 or id = any(array(
         select lot_id from hour_draw where org_id = $1 and lesson_id = any($3::uuid[])
         union select lot_id from hour_entry where org_id = $1 and lesson_id = any($3::uuid[])))
       or exists (select from ${expiredSince('$3')}))
   order by seq`,
  LOT.shape,
);
const EXPIRED_SHAPE = {
  student_id: LOT.shape.student_id,
  lot_id: LOT.shape.id,
  lot_expires_at: notNull(instant()),
  amount: notNull(hundredths()),
};
/** Hours that have expired since then and were not taken back. */
const EXPIRED = statement(
  `select l.student_id, l.id as lot_id, max(e.lot_expires_at) as lot_expires_at, -sum(e.amount) as amount
   from hour_lot l cross join lateral (select lot_expires_at, amount from ${expiredSince('$3')}) e
   where l.org_id = $1 and l.student_id = any($2::text[])
   group by l.student_id, l.id, e.lot_expires_at having sum(e.amount) < 0 order by lot_expires_at`,
  EXPIRED_SHAPE,
);
const DRAW = HOUR_DRAW.omit('org_id');
const DRAW_SHAPE = {
  ...DRAW.shape,
  id: notNull(p.uuid()),
  student_id: notNull(p.text()),
  seq: notNull(p.integer()),
  amount: notNull(hundredths()),
  has_row: notNull(p.boolean()),
};
/**
 * Debts with whatever else stands behind the same charge, and what stands behind the charges that may be given back;
 * oldest first. Where no row says it, it is what the entries of a charge took from a lot and nothing has given back: of one
 * charge and lot, one entry. `offset 0` makes it a search for each student and lesson, whatever the planner believes of a
 * table that is almost empty.
 */
const DRAWS = statement(
  `with owed as materialized (
     select d.* from unnest($2::text[]) as s (id)
     cross join lateral (
       select ${DRAW.columns} from hour_draw where org_id = $1 and student_id = s.id and lot_id is null offset 0) as d
   ), lessons as materialized (
     select unnest($3::uuid[]) as id union select lesson_id from owed where lesson_id is not null
   ), stored as materialized (
     select * from owed union all
     select d.* from lessons as l
     cross join lateral (
       select ${DRAW.columns} from hour_draw where org_id = $1 and lesson_id = l.id and lot_id is not null offset 0) as d
     where d.student_id = any($2::text[])
   )
   select ${DRAW.columns}, true as has_row from stored
   union all
   select e.student_id, min(e.id::text)::uuid, min(e.seq), l.id, e.mark_revision, null, e.lot_id, -sum(e.amount), false
   from lessons as l
   cross join lateral (select * from hour_entry where org_id = $1 and lesson_id = l.id offset 0) as e
   where e.student_id = any($2::text[]) and e.lot_id is not null and not exists (
     select from stored as d where d.student_id = e.student_id and d.lesson_id = l.id and d.lot_id = e.lot_id)
   group by e.student_id, l.id, e.mark_revision, e.lot_id having every(e.kind = 'consume')
   order by seq`,
  DRAW_SHAPE,
);

const toLot = ({ student_id: _owner, ...row }: Row<typeof LOT>): Lot => inHundredths(AMOUNTS.lot, row);
const toExpired = ({ student_id: _owner, ...row }: RowOf<typeof EXPIRED_SHAPE>): Expired =>
  inHundredths(AMOUNTS.draw, row);
const toDraw = ({ student_id: _owner, ...row }: RowOf<typeof DRAW_SHAPE>): Draw => inHundredths(AMOUNTS.draw, row);

/** The open books of some students, by student. */
export type OpenBooks = ReadonlyMap<string, Book>;

/** Locks the accounts of these students and reads what their books need. */
const readBooks = async (tx: LedgerTx, ids: readonly string[], lesson_ids: readonly string[]) => {
  const [accounts, lots, draws, expired] = await Promise.all([
    tx.query(LOCK_ACCOUNTS, tx.org_id, ids),
    tx.query(LOTS, tx.org_id, ids, lesson_ids),
    tx.query(DRAWS, tx.org_id, ids, lesson_ids),
    tx.query(EXPIRED, tx.org_id, ids, lesson_ids),
  ]);
  return { accounts, lots, draws, expired };
};

/**
 * Locks the accounts of these students and opens their books: four statements, however many they are, and as many again
 * when a student has no account yet. `lesson_ids` names the lessons whose charges may be given back.
 */
export const openBooks = async (
  tx: LedgerTx,
  students: Iterable<string>,
  policy: Policy,
  lesson_ids: readonly string[] = [],
): Promise<OpenBooks> => {
  const ids = [...new Set(students)].sort();
  if (ids.length === 0) return new Map();
  let found = await readBooks(tx, ids, lesson_ids);
  if (found.accounts.length < ids.length) {
    tx.run(ENSURE_ACCOUNTS, tx.org_id, ids);
    found = await readBooks(tx, ids, lesson_ids);
  }
  const { accounts, lots, draws, expired } = found;
  const lotsOf = Map.groupBy(lots, (lot) => lot.student_id);
  const drawsOf = Map.groupBy(draws, (draw) => draw.student_id);
  const expiredOf = Map.groupBy(expired, (it) => it.student_id);
  const { draw_order, reversal_extension_days } = policy.hours;
  const rules = { now: tx.now.toISOString(), draw_order, reversal_extension_days, newId };
  const toBook = ({ last_seq, ...sums }: Row<typeof ACCOUNT>): Book => {
    const account = {
      ...inHundredths(AMOUNTS.account, sums),
      last_seq: last_seq ?? 0,
      lots: (lotsOf.get(sums.student_id) ?? []).map(toLot),
      draws: (drawsOf.get(sums.student_id) ?? []).map(toDraw),
      lapsed: (expiredOf.get(sums.student_id) ?? []).map(toExpired),
    };
    return new Book(account, rules);
  };
  return new Map(accounts.map((account) => [account.student_id, toBook(account)]));
};

/** The open book of one student. */
export const bookOf = (books: OpenBooks, student_id: string): Book => {
  const book = books.get(student_id);
  if (book === undefined) throw new Error(`the book of ${student_id} is not open`);
  return book;
};

/** The book of one student, opened by the policy in force. */
export const openBook = async (tx: LedgerTx, student_id: string) => {
  const policy = await policyInForce(tx, tx.org_id);
  const books = await openBooks(tx, [student_id], policy);
  return { policy, books, book: bookOf(books, student_id) };
};

type DrawRow = StoredRow<typeof HOUR_DRAW>;
type Change = readonly [drawn: Statement, adjusted: Statement];

/**
 * A statement for draws of lessons, and one for debts without a lesson: each uses an index of its own, in which `offset 0`
 * makes it a search for each draw. The account is locked whenever draws change, so a row keeps its `ctid`.
 */
const changing = (verb: (found: string) => string): Change => {
  const made = (key: string) =>
    statement(
      verb(
        `${HOUR_DRAW.rowsFrom('$2')} as d
         cross join lateral (
           select ctid as place from hour_draw
           where org_id = $1 and student_id = d.student_id and id = d.id and ${key} offset 0) as t`,
      ),
    );
  return [made('lesson_id = d.lesson_id'), made('lesson_id is null')];
};
const REMOVE_DRAWS = changing((found) => `delete from hour_draw where ctid = any(array(select t.place from ${found}))`);
/** Of a draw only its hours ever change. */
const SAVE_DRAWS = changing(
  (found) => `update hour_draw as old set amount = d.amount from ${found} where old.ctid = t.place`,
);

const changeDraws = (tx: LedgerTx, [drawn, adjusted]: Change, draws: readonly DrawRow[]): void => {
  const [ofLessons, others] = [
    draws.filter((it) => it.lesson_id !== null),
    draws.filter((it) => it.lesson_id === null),
  ];
  if (ofLessons.length > 0) tx.run(drawn, tx.org_id, HOUR_DRAW.toJson(ofLessons));
  if (others.length > 0) tx.run(adjusted, tx.org_id, HOUR_DRAW.toJson(others));
};

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
export const saveBooks = (tx: LedgerTx, books: OpenBooks, clazzOf: ReadonlyMap<string, string> = new Map()): void => {
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
  changeDraws(
    tx,
    REMOVE_DRAWS,
    draws((book) => book.removedDraws),
  );
  changeDraws(
    tx,
    SAVE_DRAWS,
    draws((book) => book.changedDraws),
  );
  tx.insert(HOUR_DRAW, ...draws((book) => book.addedDraws));
  auditMoves(tx, moved);
  tx.publishOnCommit(
    publishAccountEvents,
    moved.map((book) => accountOf(book, clazzOf)),
  );
};
