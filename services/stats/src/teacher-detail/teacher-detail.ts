import { Problem, type statsCalls } from '@teaching/contracts';
import { type Caller, type Handler, isSupervisor, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/attendance.rules.ts';
import { GEN, NAME } from '../figures/sql.ts';
import { decimal, seriesOf, type Tally } from '../figures/tally.rules.ts';
import { rangeOf } from '../range/range.rules.ts';
import { type TeacherSum, teacherSums } from './teacher-sums.ts';

const NAMES = statement<{ id: string; name: string }>(
  `select id, name from clazz where org_id = $1 and gen = ${GEN} and id = any ($2::uuid[]) order by name, id`,
);

/** Teachers see themselves; supervisors any teacher. */
export const teacherAsked = (caller: Caller, teacher_id: string | undefined): string => {
  const asked = teacher_id ?? caller.user_id;
  if (asked !== caller.user_id && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Teachers see their own statistics only');
  }
  return asked;
};

const teacherTotals = (sums: Tally<TeacherSum>) => ({
  scheduled: sums.scheduled,
  lessons_taught: sums.held,
  hours_taught: decimal(sums.hours_taught),
  students: sums.students,
  roll_calls: sums.held,
  roll_calls_in_time: sums.roll_calls_in_time,
  markings: sums.markings,
  leave_handled: sums.leave_handled,
});

const withAttendance = (sums: Tally<TeacherSum>) => ({ ...teacherTotals(sums), attendance: attendanceOf(sums) });

export const teacherDetail: Handler<typeof statsCalls.teacherDetail> = async ({ query }, session) => {
  const teacher_id = teacherAsked(session.caller, query.teacher_id);
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const [sums, person] = await Promise.all([
    teacherSums(session, teacher_id, range),
    session.one(NAME, session.org_id, teacher_id),
  ]);
  const names = await session.query(NAMES, session.org_id, [...sums.byClazz.keys()]);
  const { markings, marking_seconds } = sums.total;
  return {
    teacher_id,
    teacher_name: person?.display_name ?? null,
    range: range.asked,
    totals: teacherTotals(sums.total),
    attendance: attendanceOf(sums.total),
    marking_turnaround: {
      seconds: marking_seconds,
      markings,
      average_seconds: markings === 0 ? null : marking_seconds / markings,
    },
    clazzes: names.map(({ id, name }) => ({ clazz_id: id, name, ...withAttendance(sums.clazz(id)) })),
    series: seriesOf(range, sums, withAttendance),
    included,
  };
};
