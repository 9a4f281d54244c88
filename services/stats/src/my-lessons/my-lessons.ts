import { Problem, type statsCalls } from '@teaching/contracts';
import { type Caller, type Handler, isStaff, type Session, statement } from '@teaching/kit';
import { hoursOfStudent } from '../figures/hours.ts';
import { studentAttendance, studentTotals } from '../figures/lessons-of-student.ts';
import { GEN, NAME } from '../figures/sql.ts';
import { seriesOf } from '../figures/tally.rules.ts';
import { rangeOf, type StatsRange } from '../range/range.rules.ts';
import { studentSums } from './student-sums.ts';

const UPCOMING_LESSONS = 10;

interface Clazz {
  clazz_id: string;
  name: string;
}

/** Classes the student belonged to in the range, or was marked in. */
const CLAZZES = statement<Clazz>(`
  select id as clazz_id, name from clazz
  where org_id = $1 and gen = ${GEN} and status <> 'deleted' and id in (
    select clazz_id from enrolment
    where org_id = $1 and gen = ${GEN} and student_id = $2 and during && tstzrange($3, $4)
    union
    select clazz_id from mark
    where org_id = $1 and gen = ${GEN} and student_id = $2 and at >= $3 and at < $4
  ) order by name, id`);

interface Upcoming {
  lesson_id: string;
  clazz_id: string;
  name: string | null;
  starts_at: string;
  ends_at: string;
}

/** Next lessons: of the student's classes, and those booked to make up for missed ones. */
const UPCOMING = statement<Upcoming>(`
  select l.id as lesson_id, l.clazz_id, c.name, l.starts_at, l.ends_at
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
    select l.* from leave as v
    join lesson as l on l.id = v.make_up_lesson_id and l.org_id = v.org_id and l.gen = v.gen
      and l.starts_at > $3 and l.status = 'scheduled'
    where v.org_id = $1 and v.gen = ${GEN} and v.student_id = $2 and v.make_up_lesson_id is not null
  ) as l
  left join clazz as c on c.org_id = l.org_id and c.gen = l.gen and c.id = l.clazz_id
  order by l.starts_at, l.id limit ${UPCOMING_LESSONS}`);

/** Students see themselves; staff any student of the org. */
export const studentAsked = (caller: Caller, student_id: string | undefined): string => {
  const asked = student_id ?? caller.user_id;
  if (asked !== caller.user_id && !isStaff(caller)) {
    throw new Problem('forbidden', 'Students see their own statistics only');
  }
  return asked;
};

const clazzesIn = (session: Session, student_id: string, range: StatsRange): Promise<Clazz[]> =>
  session.query(CLAZZES, session.org_id, student_id, range.starts_at, range.ends_at);

export const myLessons: Handler<typeof statsCalls.myLessons> = async ({ query }, session) => {
  const student_id = studentAsked(session.caller, query.student_id);
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const [sums, clazzes, hours, upcoming, person] = await Promise.all([
    studentSums(session, student_id, range),
    clazzesIn(session, student_id, range),
    hoursOfStudent(session, student_id),
    session.query(UPCOMING, session.org_id, student_id, session.now.toISOString()),
    session.one(NAME, session.org_id, student_id),
  ]);
  return {
    student_id,
    student_name: person?.display_name ?? null,
    range: range.asked,
    totals: studentTotals(sums.total),
    hours,
    attendance: studentAttendance(sums.total),
    clazzes: clazzes.map(({ clazz_id, name }) => ({
      clazz_id,
      name,
      ...studentTotals(sums.clazz(clazz_id)),
      attendance: studentAttendance(sums.clazz(clazz_id)),
    })),
    upcoming,
    series: seriesOf(range, sums, (tally) => ({ ...studentTotals(tally), attendance: studentAttendance(tally) })),
    included,
  };
};
