import { type hourCalls, HourEntry, type ledgerCalls, MARKS } from '@teaching/contracts';
import {
  notNull,
  equalsAnyOf,
  csvWriter,
  type Handler,
  instant,
  nameColumns,
  nullableColumns,
  p,
  pagedList,
  uuids,
} from '@teaching/kit';
import { EXPORT_ROWS, csvPage, isCsvRequest } from '../audit/csv-export.ts';
import {
  auditAccountRead,
  auditAccountListRead,
  clazzIdsOf,
  canSeePrices,
  ownStudentsParams,
  requireAccountReader,
  isTaughtBy,
} from './account-access.ts';
import { DUE_JOIN, DUE_COLUMN, dueParams, expireDueHours, readAfterExpiry } from './expire-hours.ts';
import { HOUR_ENTRY, HOUR_LOT } from './hours.tables.ts';
import { withPriceIfVisible } from './prices.rules.ts';

const ENTRY = HOUR_ENTRY.contractColumns(HourEntry);
const BOUGHT = HOUR_LOT.pick('package_id', 'package_title');
const NAMED = nameColumns('e', 'student_id', 'actor_id');
const LESSON_TIMES = { lesson_starts_at: instant().nullable(), lesson_ends_at: instant().nullable() };

/** Subqueries run for the rows of a page only. A join could read all lots or lessons of the org. */
const ofLot = (column: string): string =>
  `(select ${column} from hour_lot where org_id = e.org_id and student_id = e.student_id and id = e.lot_id) as ${column}`;
const ofLesson = (column: string): string =>
  `(select ${column} from lesson where org_id = e.org_id and id = e.lesson_id) as lesson_${column}`;
const CLAZZ_NAME = `(select c.name from lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id
  where l.org_id = e.org_id and l.id = e.lesson_id) as clazz_name`;
const MARK = `(select mark from mark_revision m where m.org_id = e.org_id and m.lesson_id = e.lesson_id
  and m.student_id = e.student_id and m.revision = e.mark_revision) as mark`;
const CAUSE = { clazz_name: p.text().nullable(), mark: p.enum(MARKS).nullable() };

/** Entries `e` with the package of their lot, and with their lesson and mark. */
const LEDGER = {
  columns: `${ENTRY.withAlias('e')}, ${ofLot('package_id')}, ${ofLot('package_title')}, ${NAMED.columns},
    ${ofLesson('starts_at')}, ${ofLesson('ends_at')}, ${CLAZZ_NAME}, ${MARK}`,
  shape: { ...ENTRY.shape, ...nullableColumns(BOUGHT.shape), ...NAMED.shape, ...LESSON_TIMES, ...CAUSE },
  from: 'hour_entry e',
  org: 'e.org_id',
};

const list = pagedList({
  ...LEDGER,
  columns: `${LEDGER.columns}, ${clazzIdsOf('e')} as clazz_ids, ${DUE_COLUMN.columns}`,
  shape: { ...LEDGER.shape, clazz_ids: notNull(uuids()), ...DUE_COLUMN.shape },
  id: { by: 'e.id', type: 'uuid' },
  sorts: { created_at: { by: 'e.created_at', type: 'timestamptz' } },
  where: {
    from: 'e.created_at >= ?',
    to: 'e.created_at < ?',
    kind: equalsAnyOf('e.kind'),
    // Most entries are charges. The other entries have their own index.
    no_charge: "e.kind not in ('consume', 'reverse')",
    student_id: equalsAnyOf('e.student_id'),
    package_id: equalsAnyOf(
      'l.package_id',
      (it) =>
        `(e.student_id, e.lot_id) in (select l.student_id, l.id from hour_lot l where l.org_id = e.org_id and ${it})`,
    ),
    lesson_id: equalsAnyOf('e.lesson_id'),
    own: isTaughtBy('e.student_id'),
  },
  joins: { due: DUE_JOIN },
});

const write = csvWriter<HourEntry>({
  created_at: 'text',
  student_id: 'text',
  student_name: 'text',
  kind: 'text',
  amount: 'decimal',
  balance_before: 'decimal',
  balance_after: 'decimal',
  price_minor: 'text',
  currency: 'text',
  package_id: 'text',
  package_title: 'text',
  lot_id: 'text',
  lesson_id: 'text',
  lesson_starts_at: 'text',
  lesson_ends_at: 'text',
  clazz_name: 'text',
  mark: 'text',
  mark_revision: 'text',
  policy_version: 'text',
  lot_expires_at: 'text',
  actor_id: 'text',
  actor_name: 'text',
  reason: 'text',
  id: 'text',
});

const isCharge = (kind: HourEntry['kind']): boolean => kind === 'consume' || kind === 'reverse';

/** The entries of all students that the caller may see, newest first. */
export const listHourEntries: Handler<typeof ledgerCalls.listHourEntries> = async ({ query }, session) => {
  const { limit, cursor, kind, bom: _mark, ...filters } = query;
  const csv = isCsvRequest(session);
  const no_charge = kind !== undefined && !kind.some(isCharge);
  const where = { ...filters, kind, no_charge, own: ownStudentsParams(session) };
  const page = { cursor, limit: csv ? EXPORT_ROWS : limit, sort: '-created_at' as const };
  const found = await readAfterExpiry(session, () => list(session, page, where, { due: dueParams(session) }));
  auditAccountListRead(session, found.items);
  const items = found.items.map(({ clazz_ids: _classes, due: _none, ...entry }): HourEntry => entry);
  const answer = { items, next_cursor: found.next_cursor };
  return csv ? csvPage(answer, query, { name: 'hours', write }) : answer;
};

const listOfStudent = pagedList({
  ...LEDGER,
  from: 'hour_entry as e',
  id: { by: 'e.seq', type: 'int' },
  sorts: { seq: { by: 'e.seq', type: 'int' } },
  where: { student_id: 'e.student_id = ?', lesson_id: equalsAnyOf('e.lesson_id') },
});

export const listStudentHourEntries: Handler<typeof hourCalls.listStudentHourEntries> = async (
  { path: { student_id }, query },
  session,
) => {
  await requireAccountReader(session, student_id);
  await expireDueHours(session, student_id);
  const [page, isShown] = await Promise.all([
    listOfStudent(session, { ...query, sort: '-seq' }, { student_id, lesson_id: query.lesson_id }),
    canSeePrices(session),
    auditAccountRead(session, student_id, 'entry'),
  ]);
  return { ...page, items: page.items.map(withPriceIfVisible(isShown)) };
};
