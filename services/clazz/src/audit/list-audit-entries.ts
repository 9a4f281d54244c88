import { type auditCalls, AuditEntry } from '@teaching/contracts';
import { equalsAnyOf, type Handler, pagedList } from '@teaching/kit';
import { AUDIT_LOG } from './audit.tables.ts';
import { EXPORT_ROWS, csvPage, isCsvRequest } from './csv-export.ts';
import { ENTRY_NAMES, writeAuditCsv } from './audit-csv.ts';
import { attachTexts, withTextKeys } from './audit-texts.rules.ts';
import { textsOf } from './erase-texts.ts';
import { waitForAuditEntries } from './audit-progress.ts';

const SHOWN = AUDIT_LOG.contractColumns(AuditEntry);

/** The ids of records of students. Entries about them are about the student. */
const OWN = ['enrolment', 'leave', 'hour_entry'].map(
  (table) => `select t.id::text from ${table} t where t.org_id = ? and t.student_id = any(?)`,
);
/** The ids of lessons at which a student is or was expected, or was charged. */
const LESSONS = ['lesson_student', 'hour_entry'].map(
  (table) =>
    `select t.lesson_id::text from ${table} t where t.org_id = ? and t.student_id = any(?) and t.lesson_id is not null`,
);
/**
 * SQL condition: the entry is about one of the students. A roll call counts if it changed a mark of them. A lesson
 * belongs to no student.
 */
const ABOUT = `a.entity_id = any (array(select unnest(?::text[]) union all ${[...OWN, ...LESSONS].join(' union all ')}))
  and a.entity <> 'lesson' and (a.entity <> 'roll_call' or jsonb_exists_any(a.changes, ?))`;
const aboutParams = (org_id: string, students: readonly string[]) => [
  students,
  ...[...OWN, ...LESSONS].flatMap(() => [org_id, students]),
  students,
];

const list = pagedList({
  columns: `${SHOWN.withAlias('a')}, ${ENTRY_NAMES.columns}`,
  shape: { ...SHOWN.shape, ...ENTRY_NAMES.shape },
  from: 'clazz_audit_log a',
  org: 'a.org_id',
  id: { by: 'a.seq', type: 'bigint' },
  sorts: { seq: { by: 'a.seq', type: 'bigint' } },
  where: {
    entity: equalsAnyOf('a.entity'),
    entity_id: equalsAnyOf('a.entity_id'),
    student_id: ABOUT,
    actor_id: equalsAnyOf('a.actor_id'),
    action: equalsAnyOf('a.action'),
    from: 'a.occurred_at >= ?',
    to: 'a.occurred_at < ?',
  },
});

/** The audit log of the org: entries about one class, several classes or none. */
export const listAuditEntries: Handler<typeof auditCalls.listAuditEntries> = async ({ query }, session) => {
  const csv = isCsvRequest(session);
  const complete = query.cursor !== undefined || (await waitForAuditEntries(session)).complete;
  const { student_id, bom: _mark, ...rest } = query;
  const where = { ...rest, student_id: student_id && aboutParams(session.org_id, student_id) };
  const limit = csv ? EXPORT_ROWS : query.limit;
  const { items: found, next_cursor } = await list(session, { ...query, limit, sort: '-seq' }, where);
  const known = await textsOf(session, found);
  const items = found.map((entry) => withTextKeys(attachTexts(entry, known), known));
  const page = { items, next_cursor };
  return csv ? csvPage(page, query, { name: 'audit-log', write: writeAuditCsv }) : { ...page, complete };
};
