import { type jihuaCalls, type JihuaRow, notFound } from '@teaching/contracts';
import { containsPattern, type Filter, type Handler, isStaff, pagedList, statement } from '@teaching/kit';
import { equals } from '../shared/list.ts';
import { JIHUA_COLUMNS, type StoredJihua } from './jihua-row.ts';
import { readStudents } from './jihua-students.ts';

const READ = statement<StoredJihua & { is_mine: boolean }>(
  `select ${JIHUA_COLUMNS}, j.planned_dates,
     exists (select from jihua_student s
             where s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = $3) as is_mine
   from jihua j where j.org_id = $1 and j.id = $2`,
);

export const getJihua: Handler<typeof jihuaCalls.get> = async ({ path }, session) => {
  const staff = isStaff(session.caller);
  const [found, student_ids] = await Promise.all([
    session.one(READ, session.org_id, path.id, session.caller.user_id),
    staff ? readStudents(session, path.id) : undefined,
  ]);
  if (found === undefined || !(staff || found.is_mine)) throw notFound('Jihua');
  const { is_mine: _mine, ...it } = found;
  return student_ids === undefined ? it : { ...it, student_ids };
};

const list = pagedList<JihuaRow, 'title' | 'starts_on' | 'ends_on' | 'created_at' | 'updated_at'>({
  columns: JIHUA_COLUMNS,
  from: 'jihua j',
  bulky: true,
  id: { by: 'j.id', type: 'uuid' },
  sorts: {
    title: { by: 'j.title', type: 'text' },
    starts_on: { by: 'j.starts_on', type: 'date' },
    ends_on: { by: 'j.ends_on', type: 'date' },
    created_at: { by: 'j.created_at', type: 'timestamptz' },
    updated_at: { by: 'j.updated_at', type: 'timestamptz' },
  },
});

export const listJihua: Handler<typeof jihuaCalls.list> = ({ query }, session) => {
  const { keyword } = query;
  const mine: Filter[] = isStaff(session.caller)
    ? []
    : [
        [
          'join jihua_student s on s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = ?',
          session.caller.user_id,
        ],
      ];
  const named: Filter[] =
    keyword === undefined || keyword === '' ? [] : [['j.search like lower(?)', containsPattern(keyword)]];
  return list(
    session,
    query,
    [['j.org_id = ?', session.org_id], ...equals({ 'j.teacher_id': query.teacher_id }), ...named],
    mine,
  );
};
