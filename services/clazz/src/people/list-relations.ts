import type { relationCalls } from '@teaching/contracts';
import { equalsAnyOf, notNull, type Handler, nameColumns, p, pagedList, type Session } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { columnList, RELATION } from './people.tables.ts';

const named = nameColumns('relation', 'teacher_id', 'student_id');
const list = pagedList({
  columns: `${columnList(RELATION)}, ${named.columns},
    (select c.name from clazz c where c.org_id = relation.org_id and c.id = relation.clazz_id) as clazz_name`,
  shape: { ...RELATION, ...named.shape, clazz_name: notNull(p.text()) },
  from: 'relation',
  id: { by: 'id', type: 'text' },
  sorts: { since: { by: 'since', type: 'timestamptz' } },
  where: {
    teacher_id: equalsAnyOf('teacher_id'),
    student_id: equalsAnyOf('student_id'),
    lasting: 'upper_inf(during)',
    at: 'during @> ?::timestamptz',
  },
});

type Query = { at?: string | undefined; limit: number; cursor?: string | undefined };
type RelationFilter = { teacher_id: readonly string[] } | { student_id: readonly string[] };

const relationsAt = async (session: Session, { at, ...page }: Query, filter: RelationFilter) => {
  // The moment is part of the list's filter, so all pages refer to the same moment.
  const moment = at === undefined ? { lasting: true } : { at };
  const found = await list(session, { ...page, sort: 'since' }, { ...filter, ...moment });
  auditRead(
    session,
    'relation',
    found.items.map((row) => row.clazz_id),
  );
  return found;
};

/** The students of the caller. A supervisor may name any teachers. */
export const listMyStudents: Handler<typeof relationCalls.listMyStudents> = ({ query }, session) => {
  const { caller, access } = session;
  const { teacher_id: requestedIds, ...page } = query;
  const teacher_id = access.requestedPeople(requestedIds, 'Only a supervisor may name another teacher') ?? [
    caller.user_id,
  ];
  return relationsAt(session, page, { teacher_id });
};

/** The teachers of the calling student. Staff may name any students. */
export const listMyTeachers: Handler<typeof relationCalls.listMyTeachers> = ({ query }, session) => {
  const { caller, access } = session;
  const { student_id: requestedIds, ...page } = query;
  const student_id = access.requestedPeople(requestedIds, 'Students may name themselves only') ?? [caller.user_id];
  return relationsAt(session, page, { student_id });
};
