import type { jihuaCalls } from '@teaching/contracts';
import { containing, type Handler, pagedList } from '@teaching/kit';
import { TEACHER } from './jihua-students.ts';
import { LISTED } from './jihua.table.ts';

const list = pagedList({
  columns: `${LISTED.of('j')}, ${TEACHER.columns}`,
  shape: { ...LISTED.shape, ...TEACHER.shape },
  from: 'jihua j',
  bulky: true,
  org: 'j.org_id',
  id: { by: 'j.id', type: 'uuid' },
  sorts: {
    title: { by: 'j.title', type: 'text' },
    starts_on: { by: 'j.starts_on', type: 'date' },
    ends_on: { by: 'j.ends_on', type: 'date' },
    created_at: { by: 'j.created_at', type: 'timestamptz' },
    updated_at: { by: 'j.updated_at', type: 'timestamptz' },
  },
  where: { teacher_id: 'j.teacher_id = ?', keyword: containing('j.search') },
  joins: { student_id: 'join jihua_student s on s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = ?' },
});

export const listJihua: Handler<typeof jihuaCalls.listJihua> = async ({ query }, session) => {
  const { student_id, ...where } = query;
  return list(session, query, where, { student_id: session.reach.personAsked(student_id) });
};
