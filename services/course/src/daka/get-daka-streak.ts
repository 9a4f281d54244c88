import { type dakaCalls, notFound } from '@teaching/contracts';
import { notNull, type Handler, localDate, p, statement } from '@teaching/kit';
import { daysSince } from '../jihua/calendar.rules.ts';
import { dateArray, JIHUA } from '../jihua/jihua-rows.ts';
import { streakOf } from './streak.rules.ts';

/** Reads a plan and the check-ins of one student. These check-ins are adjacent in the primary key. */
const READ = statement(
  `select zone, planned_dates as planned,
     array(select local_date from daka d
           where d.org_id = $1 and d.jihua_id = $2 and d.student_id = $3) as checked_in,
     s.student_id is not null as is_member, s.since
   from jihua left join jihua_student s on s.org_id = $1 and s.jihua_id = $2 and s.student_id = $3
   where jihua.org_id = $1 and jihua.id = $2`,
  {
    ...JIHUA.pick('zone').shape,
    planned: dateArray(),
    checked_in: notNull(dateArray()),
    is_member: notNull(p.boolean()),
    since: p.date().nullable(),
  },
);

/** A student who left a plan can still read the streak, counted from the student's first check-in. */
export const getDakaStreak: Handler<typeof dakaCalls.getDakaStreak> = async ({ query }, session) => {
  const student_id = session.access.requestedStudent(query.student_id, '/query/student_id');
  const found = await session.queryOne(READ, session.org_id, query.jihua_id, student_id);
  const canRead =
    found !== undefined && (!session.access.isLimitedTo('self') || found.is_member || found.checked_in.length > 0);
  if (!canRead) throw notFound('Plan');
  const since = found.is_member ? found.since : (found.checked_in.toSorted()[0] ?? null);
  const planned = daysSince(found.planned, since);
  return streakOf(planned, new Set(found.checked_in), localDate(session.now, found.zone));
};
