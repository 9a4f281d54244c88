import { type HourEntry, type ledgerCalls } from '@teaching/contracts';
import { always, among, csvWriter, type Handler, pagedList, uuids } from '@teaching/kit';
import { EXPORT_ROWS, exported, isExport } from '../audit/export.ts';
import { asOfNow, DUE, DUE_COLUMN, dueAt } from './as-of-now.ts';
import { LEDGER } from './ledger.view.ts';
import { auditAccountsRead, CLAZZES_OF } from './may-read-account.ts';
import { ownStudents, taughtBy } from './taught-by.ts';

const list = pagedList({
  ...LEDGER,
  columns: `${LEDGER.columns}, ${CLAZZES_OF('e')} as clazz_ids, ${DUE_COLUMN.columns}`,
  shape: { ...LEDGER.shape, clazz_ids: always(uuids()), ...DUE_COLUMN.shape },
  id: { by: 'e.id', type: 'uuid' },
  sorts: { created_at: { by: 'e.created_at', type: 'timestamptz' } },
  where: {
    from: 'e.created_at >= ?',
    to: 'e.created_at < ?',
    kind: among('e.kind'),
    // Most entries are charges; of the others there is an index of their own.
    no_charge: "e.kind not in ('consume', 'reverse')",
    student_id: among('e.student_id'),
    package_id: among(
      'l.package_id',
      (it) =>
        `(e.student_id, e.lot_id) in (select l.student_id, l.id from hour_lot l where l.org_id = e.org_id and ${it})`,
    ),
    lesson_id: among('e.lesson_id'),
    own: taughtBy('e.student_id'),
  },
  joins: { due: DUE },
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

/** Entries of all students that the caller may see, newest first. */
export const listHourEntries: Handler<typeof ledgerCalls.listHourEntries> = async ({ query }, session) => {
  const { limit, cursor, kind, bom: _mark, ...filters } = query;
  const csv = isExport(session, query);
  const no_charge = kind !== undefined && !kind.some(isCharge);
  const where = { ...filters, kind, no_charge, own: ownStudents(session) };
  const page = { cursor, limit: csv ? EXPORT_ROWS : limit, sort: '-created_at' as const };
  const found = await asOfNow(session, () => list(session, page, where, { due: dueAt(session) }));
  auditAccountsRead(session, found.items);
  const items = found.items.map(({ clazz_ids: _classes, due: _none, ...entry }): HourEntry => entry);
  const answer = { items, next_cursor: found.next_cursor };
  return csv ? exported(answer, query, { name: 'hours', write }) : answer;
};
