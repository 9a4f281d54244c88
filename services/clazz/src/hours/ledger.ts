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
import { toMovedAccount, auditManualEntries, publishAccountEvents, toStoredSums } from './account-events.ts';
import type { Draw, ExpiredHours, Lot } from './account.rules.ts';
import { AMOUNTS, amountsToDecimals, amountsToHundredths } from './amounts.rules.ts';
import { StudentLedger } from './student-ledger.rules.ts';
import { HOUR_ACCOUNT, HOUR_DRAW, HOUR_ENTRY, HOUR_LOT } from './hours.tables.ts';

/** The part of a session, or of a job's transaction for one org, that the ledger needs. */
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
 * Accounts are locked in the same order everywhere, so that two transactions cannot deadlock.
 * Only if an account is created between the reads of two transactions, Postgres aborts one of them, which is run again
 * (`retryTransaction`).
 */
const LOCK_ACCOUNTS = statement(
  `select ${ACCOUNT.columns} from hour_account
   where org_id = $1 and student_id = any($2::text[]) order by student_id for update`,
  ACCOUNT.shape,
);
const LOT = HOUR_LOT.omit('org_id');
/** SQL: the expiries of a lot `l` after the first of the lessons began. */
const expiredSince = (lesson_ids: string): string => `hour_entry e
  where e.org_id = $1 and e.lot_id = l.id and e.kind = 'expire' and e.lot_expires_at > (
    select min(starts_at) from lesson where org_id = $1 and id = any(${lesson_ids}::uuid[]))`;
/** Lots with hours, lots of charges that may be reversed, and lots that had hours when a lesson began. */
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
  starts_at: instant().nullable(),
};
/**
 * Debts with all draws of the same charge, and the draws of charges that may be reversed; oldest first.
 * A draw without a row is derived from the entries: hours that a charge took from a lot and that were not reversed.
 * `offset 0` makes Postgres search by student and lesson, independent of its size estimates for an almost empty table.
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
   select ${DRAW.columns}, true as has_row,
     (select starts_at from lesson where org_id = $1 and id = stored.lesson_id) as starts_at
   from stored
   union all
   select e.student_id, min(e.id::text)::uuid, min(e.seq), l.id, e.mark_revision, null, e.lot_id, -sum(e.amount), false, null
   from lessons as l
   cross join lateral (select * from hour_entry where org_id = $1 and lesson_id = l.id offset 0) as e
   where e.student_id = any($2::text[]) and e.lot_id is not null and not exists (
     select from stored as d where d.student_id = e.student_id and d.lesson_id = l.id and d.lot_id = e.lot_id)
   group by e.student_id, l.id, e.mark_revision, e.lot_id having every(e.kind = 'consume')
   order by seq`,
  DRAW_SHAPE,
);

const toLot = ({ student_id: _owner, ...row }: Row<typeof LOT>): Lot => amountsToHundredths(AMOUNTS.lot, row);
const toExpired = ({ student_id: _owner, ...row }: RowOf<typeof EXPIRED_SHAPE>): ExpiredHours =>
  amountsToHundredths(AMOUNTS.draw, row);
const toDraw = ({ student_id: _owner, ...row }: RowOf<typeof DRAW_SHAPE>): Draw =>
  amountsToHundredths(AMOUNTS.draw, row);

/** The open ledgers of some students, by student. */
export type OpenLedgers = ReadonlyMap<string, StudentLedger>;

/** Locks the accounts of these students and reads the data of their ledgers. */
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
 * Locks the accounts of these students and opens their ledgers. It takes four statements for any number of students,
 * and five more when an account does not exist yet.
 * `lesson_ids` are the lessons whose charges may be reversed.
 */
export const openLedgers = async (
  tx: LedgerTx,
  students: Iterable<string>,
  policy: Policy,
  lesson_ids: readonly string[] = [],
): Promise<OpenLedgers> => {
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
  const toBook = ({ last_seq, ...sums }: Row<typeof ACCOUNT>): StudentLedger => {
    const account = {
      ...amountsToHundredths(AMOUNTS.account, sums),
      last_seq: last_seq ?? 0,
      lots: (lotsOf.get(sums.student_id) ?? []).map(toLot),
      draws: (drawsOf.get(sums.student_id) ?? []).map(toDraw),
      expiredHours: (expiredOf.get(sums.student_id) ?? []).map(toExpired),
    };
    return new StudentLedger(account, rules);
  };
  return new Map(accounts.map((account) => [account.student_id, toBook(account)]));
};

/** The open ledger of one student. */
export const ledgerOf = (ledgers: OpenLedgers, student_id: string): StudentLedger => {
  const ledger = ledgers.get(student_id);
  if (ledger === undefined) throw new Error(`the ledger of student ${student_id} is not open`);
  return ledger;
};

/** Opens the ledger of one student under the policy in force. */
export const openLedger = async (tx: LedgerTx, student_id: string) => {
  const policy = await policyInForce(tx, tx.org_id);
  const ledgers = await openLedgers(tx, [student_id], policy);
  return { policy, ledgers, ledger: ledgerOf(ledgers, student_id) };
};

type DrawRow = StoredRow<typeof HOUR_DRAW>;
type Change = readonly [drawn: Statement, adjusted: Statement];

/**
 * Two statements: one for draws of lessons, one for debts without a lesson. Each uses its own index, and `offset 0`
 * makes Postgres search for each draw.
 * The account is locked while draws change, so a row keeps its `ctid`.
 */
const drawStatements = (verb: (found: string) => string): Change => {
  const statementFor = (key: string) =>
    statement(
      verb(
        `${HOUR_DRAW.rowsFrom('$2')} as d
         cross join lateral (
           select ctid as place from hour_draw
           where org_id = $1 and student_id = d.student_id and id = d.id and ${key} offset 0) as t`,
      ),
    );
  return [statementFor('lesson_id = d.lesson_id'), statementFor('lesson_id is null')];
};
const REMOVE_DRAWS = drawStatements(
  (found) => `delete from hour_draw where ctid = any(array(select t.place from ${found}))`,
);
/** Only the hours of a draw ever change. */
const SAVE_DRAWS = drawStatements(
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

/** Only the hours and the expiry of a lot ever change, so no other column is sent. */
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
 * Stores the changes of open ledgers by at most nine statements, and publishes one event for all of them.
 * `clazzOf` gives the class of each charged lesson.
 */
export const saveLedgers = (
  tx: LedgerTx,
  ledgers: OpenLedgers,
  clazzOf: ReadonlyMap<string, string> = new Map(),
): void => {
  const { org_id } = tx;
  const created_at = tx.now.toISOString();
  const moved = [...ledgers.values()].filter((ledger) => ledger.entries.length > 0);
  /** Rows of all ledgers, each with its student. */
  const rowsOf = <T extends object>(rows: (ledger: StudentLedger) => readonly T[]) =>
    moved.flatMap((ledger) => rows(ledger).map((row) => ({ org_id, student_id: ledger.student_id, ...row })));
  const lots = (rows: (ledger: StudentLedger) => StudentLedger['lots']) =>
    rowsOf(rows).map((lot) => amountsToDecimals(AMOUNTS.lot, lot));
  const draws = (rows: (ledger: StudentLedger) => StudentLedger['draws']) =>
    rowsOf(rows).map(({ has_row: _known, starts_at: _start, ...draw }) => amountsToDecimals(AMOUNTS.draw, draw));
  const entries = rowsOf((ledger) => ledger.entries).map((entry) => ({
    ...amountsToDecimals(AMOUNTS.entry, entry),
    created_at,
  }));
  tx.insert(HOUR_LOT, ...lots((ledger) => ledger.addedLots));
  tx.update(CHANGED_LOTS, ...lots((ledger) => ledger.changedLots));
  tx.insert(HOUR_ENTRY, ...entries);
  tx.update(HOUR_ACCOUNT, ...rowsOf((ledger) => [{ last_seq: ledger.last_seq, ...toStoredSums(ledger) }]));
  changeDraws(
    tx,
    REMOVE_DRAWS,
    draws((ledger) => ledger.removedDraws),
  );
  changeDraws(
    tx,
    SAVE_DRAWS,
    draws((ledger) => ledger.changedDraws),
  );
  tx.insert(HOUR_DRAW, ...draws((ledger) => ledger.addedDraws));
  auditManualEntries(tx, moved);
  tx.publishOnCommit(
    publishAccountEvents,
    moved.map((ledger) => toMovedAccount(ledger, clazzOf)),
  );
};
