import { type jihuaCalls, notFound } from '@teaching/contracts';
import { always, type Handler, p, statement } from '@teaching/kit';
import { firstDay, readNamedMembers, shownNamed, TEACHER } from './jihua-students.ts';
import { JIHUA } from './jihua.table.ts';

const READ = statement(
  `select ${JIHUA.of('j')}, ${TEACHER.columns},
     s.student_id is not null as is_mine, s.since
   from jihua j left join jihua_student s on s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = $3
   where j.org_id = $1 and j.id = $2`,
  { ...JIHUA.shape, ...TEACHER.shape, is_mine: always(p.boolean()), since: p.date().nullable() },
);

export const getJihua: Handler<typeof jihuaCalls.getJihua> = async ({ path }, session) => {
  const staff = !session.reach.goesBy('member');
  const [found, members] = await Promise.all([
    session.one(READ, session.org_id, path.id, session.caller.user_id),
    staff ? readNamedMembers(session, path.id) : [],
  ]);
  if (found === undefined || !session.reach.covers({ member: found.is_mine })) throw notFound('Jihua');
  const { is_mine, since, ...it } = found;
  const own = is_mine ? { ...it, since: firstDay(since, it.starts_on) } : it;
  return { ...own, ...(staff ? shownNamed(members, it.starts_on) : {}) };
};
