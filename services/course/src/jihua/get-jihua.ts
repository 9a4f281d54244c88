import { p } from '@mikro-orm/postgresql';
import { type jihuaCalls, notFound } from '@teaching/contracts';
import { always, type Handler, isStaff, statement } from '@teaching/kit';
import { readStudents } from './jihua-students.ts';
import { JIHUA } from './jihua.table.ts';

const READ = statement(
  `select ${JIHUA.of('j')},
     exists (select from jihua_student s
             where s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = $3) as is_mine
   from jihua j where j.org_id = $1 and j.id = $2`,
  { ...JIHUA.shape, is_mine: always(p.boolean()) },
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
