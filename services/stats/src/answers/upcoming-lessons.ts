import { always, instant, orNull, p, type Session, statement } from '@teaching/kit';
import { BOOKINGS } from '../figures/lessons-of-student.ts';
import { GEN } from '../figures/sql.ts';
import { CLAZZ } from '../records/clazz/table.ts';

const UPCOMING_LESSONS = 10;

/** Next lessons: of the student's classes, and those booked to make up for missed ones. */
const UPCOMING = statement(
  `select l.id as lesson_id, l.clazz_id, c.name, c.name as clazz_name, l.starts_at, l.ends_at
   from (
     select l.* from enrolment as e
     cross join lateral (
       select * from lesson
       where org_id = e.org_id and gen = e.gen and clazz_id = e.clazz_id and starts_at > $3 and status = 'scheduled'
         and e.during @> starts_at
       order by starts_at, id limit ${UPCOMING_LESSONS}
     ) as l
     where e.org_id = $1 and e.gen = ${GEN} and e.student_id = $2 and (upper_inf(e.during) or upper(e.during) > $3)
     union
     select l.* from ${BOOKINGS}
     where v.org_id = $1 and v.gen = ${GEN} and v.student_id = $2 and v.make_up_lesson_id is not null
       and l.starts_at > $3 and l.status = 'scheduled'
   ) as l
   left join lateral (select name from clazz where org_id = l.org_id and gen = l.gen and id = l.clazz_id offset 0) as c on true
   order by l.starts_at, l.id limit ${UPCOMING_LESSONS}`,
  {
    lesson_id: always(p.uuid()),
    clazz_id: always(p.uuid()),
    ...orNull(CLAZZ.some('name').shape),
    clazz_name: p.text().nullable(),
    starts_at: always(instant()),
    ends_at: always(instant()),
  },
);

export const upcomingLessons = (session: Session, student_id: string) =>
  session.query(UPCOMING, session.org_id, student_id, session.now);
