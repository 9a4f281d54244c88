import { Problem, type relationCalls } from '@teaching/contracts';
import { type Filter, type Handler, isStaff, isSupervisor, pagedList, type Session } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';

interface Row {
  clazz_id: string;
  teacher_id: string;
  student_id: string;
  role: 'lead' | 'assistant';
  since: string;
  until: string | null;
}

const list = pagedList<Row, 'since'>({
  columns: 'clazz_id, teacher_id, student_id, role, since, until',
  from: 'relation',
  id: { by: 'id', type: 'text' },
  sorts: { since: { by: 'since', type: 'timestamptz' } },
});

type Query = { at?: string | undefined; limit: number; cursor?: string | undefined };

const relationsAt = async (session: Session, query: Query, who: Filter) => {
  const { limit, cursor } = query;
  // The moment belongs to the list: the next page of "now" is about the same now.
  const moment: Filter = query.at === undefined ? ['upper_inf(during)'] : ['during @> ?::timestamptz', query.at];
  const found = await list(session, { limit, cursor, sort: 'since' }, [['org_id = ?', session.org_id], who, moment]);
  auditRead(
    session,
    'relation',
    found.items.map((row) => row.clazz_id),
  );
  return found;
};

/** Students taught by the caller; a supervisor may ask for any teacher. */
export const myStudents: Handler<typeof relationCalls.myStudents> = ({ query }, session) => {
  const { caller } = session;
  const teacher_id = query.teacher_id ?? caller.user_id;
  if (teacher_id !== caller.user_id && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Only a supervisor may ask for another teacher');
  }
  return relationsAt(session, query, ['teacher_id = ?', teacher_id]);
};

/** Teachers of the calling student; staff may ask for any student. */
export const myTeachers: Handler<typeof relationCalls.myTeachers> = ({ query }, session) => {
  const { caller } = session;
  const student_id = query.student_id ?? caller.user_id;
  if (student_id !== caller.user_id && !isStaff(caller)) {
    throw new Problem('forbidden', 'Students may ask for themselves only');
  }
  return relationsAt(session, query, ['student_id = ?', student_id]);
};
