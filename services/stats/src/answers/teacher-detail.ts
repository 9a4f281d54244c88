import { fromHundredths, type statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/attendance.rules.ts';
import { GEN } from '../figures/sql.ts';
import { seriesOf, type Tally } from '../figures/tally.rules.ts';
import { CLAZZ } from '../records/clazz/table.ts';
import { rangeAsked, teacherAsked } from './asked.ts';
import { nameOf } from './names.ts';
import { type TeacherSum, teacherSums } from './teacher-sums.ts';

const CLAZZES = statement(
  `select id, name from clazz where org_id = $1 and gen = ${GEN} and id = any ($2::uuid[]) order by name, id`,
  CLAZZ.some('id', 'name').shape,
);

const teacherTotals = (sums: Tally<TeacherSum>) => ({
  scheduled: sums.scheduled,
  lessons_taught: sums.held,
  hours_taught: fromHundredths(sums.hours_taught),
  students: sums.students,
  roll_calls: sums.held,
  roll_calls_in_time: sums.roll_calls_in_time,
  markings: sums.markings,
  leave_handled: sums.leave_handled,
});

const withAttendance = (sums: Tally<TeacherSum>) => ({ ...teacherTotals(sums), attendance: attendanceOf(sums) });

export const teacherDetail: Handler<typeof statsCalls.teacherDetail> = async ({ query }, session) => {
  const teacher_id = teacherAsked(session.caller, query.teacher_id);
  const { range, included } = await rangeAsked(query, session);
  const [sums, teacher_name] = await Promise.all([
    teacherSums(session, teacher_id, range),
    nameOf(session, teacher_id),
  ]);
  const clazzes = await session.query(CLAZZES, session.org_id, [...sums.byClazz.keys()]);
  const { markings, marking_seconds } = sums.total;
  return {
    teacher_id,
    teacher_name,
    range: range.asked,
    totals: teacherTotals(sums.total),
    attendance: attendanceOf(sums.total),
    marking_turnaround: {
      seconds: marking_seconds,
      markings,
      average_seconds: markings === 0 ? null : marking_seconds / markings,
    },
    clazzes: clazzes.map(({ id, name }) => ({ clazz_id: id, name, ...withAttendance(sums.clazz(id)) })),
    series: seriesOf(range, sums, withAttendance),
    included,
  };
};
