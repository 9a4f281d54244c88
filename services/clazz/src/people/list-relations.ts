import type { relationCalls } from '@teaching/contracts';
import { notNull, type Handler, nameColumns, p, pagedList, type Session } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { columnsOf, RELATION } from './people.tables.ts';

const named = nameColumns('relation', 'teacher_id', 'student_id');
const list = pagedList({
  columns: `${columnsOf(RELATION)}, ${named.columns},
    (select c.name from clazz c where c.org_id = relation.org_id and c.id = relation.clazz_id) as clazz_name`,
  shape: { ...RELATION, ...named.shape, clazz_name: notNull(p.text()) },
  from: 'relation',
  id: { by: 'id', type: 'text' },
  sorts: { since: { by: 'since', type: 'timestamptz' } },
  where: {
    teacher_id: 'teacher_id = ?',
    student_id: 'student_id = ?',
    lasting: 'upper_inf(during)',
    at: 'during @> ?::timestamptz',
  },
});

type Query = { at?: string | undefined; limit: number; cursor?: string | undefined };
type RelationFilter = { teacher_id: string } | { student_id: string };

const relationsAt = async (session: Session, { at, ...page }: Query, who: RelationFilter) => {
  // The moment belongs to the list: the next page of "now" is about the same now.
  const moment = at === undefined ? { lasting: true } : { at };
  const found = await list(session, { ...page, sort: 'since' }, { ...who, ...moment });
  auditRead(
    session,
    'relation',
    found.items.map((row) => row.clazz_id),
  );
  return found;
};

/** Students taught by the caller; a supervisor may ask for any teacher. */
export const listMyStudents: Handler<typeof relationCalls.listMyStudents> = ({ query }, session) => {
  const { caller, access } = session;
  const { teacher_id: asked, ...page } = query;
  const teacher_id = access.requestedPerson(asked, 'Only a supervisor may ask for another teacher') ?? caller.user_id;
  return relationsAt(session, page, { teacher_id });
};

/** Teachers of the calling student; staff may ask for any student. */
export const listMyTeachers: Handler<typeof relationCalls.listMyTeachers> = ({ query }, session) => {
  const { caller, access } = session;
  const { student_id: asked, ...page } = query;
  const student_id = access.requestedPerson(asked, 'Students may ask for themselves only') ?? caller.user_id;
  return relationsAt(session, page, { student_id });
};
