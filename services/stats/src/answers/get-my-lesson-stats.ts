import type { statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { hoursOfStudent } from '../figures/hour-sums.ts';
import { BOOKINGS, studentAttendance, type StudentSums, studentTotals } from '../figures/student-totals.ts';
import { CURRENT_GEN } from '../figures/sql-fragments.ts';
import { seriesOf } from '../figures/tally.rules.ts';
import { CLAZZ } from '../records/clazz.ts';
import { IS_COUNTED } from '../records/lesson.ts';
import { readPersonName, requestedRange, requestedStudent } from './stats-request.ts';
import { cachedFigures } from './figure-cache.ts';
import { studentSums, upcomingLessons } from './student-lessons.ts';
import { canSeeHours, HIDDEN_HOURS, visibleTotals } from './visible-hours.ts';

/** Classes in which the student was a member, was marked, or has a make-up lesson in the range. */
const CLAZZES = statement(
  `select c.id, c.name from (
     select clazz_id from enrolment
     where org_id = $1 and gen = ${CURRENT_GEN} and student_id = $2 and during && tstzrange($3, $4)
     union
     select clazz_id from mark
     where org_id = $1 and gen = ${CURRENT_GEN} and student_id = $2 and at >= $3 and at < $4
     union
     select l.clazz_id from ${BOOKINGS}
     where v.org_id = $1 and v.gen = ${CURRENT_GEN} and v.student_id = $2 and l.starts_at >= $3 and l.starts_at < $4 and ${IS_COUNTED}
   ) as theirs
   cross join lateral (
     select id, name from clazz
     where org_id = $1 and gen = ${CURRENT_GEN} and id = theirs.clazz_id and status <> 'deleted' offset 0
   ) as c
   order by c.name, c.id`,
  CLAZZ.pick('id', 'name').shape,
);

/** The earliest of the instants, in epoch milliseconds. Infinity if all are absent. */
const earliestOf = (instants: readonly (string | null | undefined)[]): number =>
  Math.min(...instants.flatMap((at) => (typeof at === 'string' ? [Date.parse(at)] : [])));

export const getMyLessonStats: Handler<typeof statsCalls.getMyLessonStats> = async ({ query }, session) => {
  const student_id = requestedStudent(session, query.student_id);
  const requested = await requestedRange(query, session);
  const { range, included } = requested;
  const seesHours = await canSeeHours(session, student_id);
  const totalsOf = (sums: StudentSums) => visibleTotals(studentTotals(sums), seesHours);
  return cachedFigures(session, ['my-lessons', student_id, seesHours ? 'all' : 'none'], requested, async () => {
    const [sums, clazzes, { hours, next_at }, upcoming, student_name] = await Promise.all([
      studentSums(session, student_id, range),
      session.query(CLAZZES, session.org_id, student_id, range.starts_at, range.ends_at),
      hoursOfStudent(session, student_id),
      upcomingLessons(session, student_id),
      readPersonName(session, student_id),
    ]);
    const answer = {
      student_id,
      student_name,
      range: range.request,
      totals: totalsOf(sums.total),
      hours: seesHours ? hours : HIDDEN_HOURS,
      attendance: studentAttendance(sums.total),
      clazzes: clazzes.map(({ id, name }) => ({
        clazz_id: id,
        name,
        clazz_name: name,
        ...totalsOf(sums.clazz(id)),
        attendance: studentAttendance(sums.clazz(id)),
      })),
      upcoming,
      series: seriesOf(range, sums, (tally) => ({ ...totalsOf(tally), attendance: studentAttendance(tally) })),
      included,
    };
    return { answer, until: earliestOf([next_at, upcoming[0]?.starts_at]) };
  });
};
