import { fromHundredths, type statsCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { attendanceOf, turnaroundOf } from '../figures/rates.rules.ts';
import { seriesOf, type Tally } from '../figures/tally.rules.ts';
import { readPersonName, requestedRange, requestedTeacher } from './stats-request.ts';
import { cachedFigures } from './figure-cache.ts';
import { type TeacherSum, teacherSums } from './teacher-sums.ts';

const ratesOf = (sums: Tally<TeacherSum>) => ({
  attendance: attendanceOf(sums),
  marking_turnaround: turnaroundOf(sums),
});

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

/** Sort key of a class: its name, then its id. */
const sortKeyOf = ({ name, clazz_id }: { name: string | null; clazz_id: string }): string => `${name} ${clazz_id}`;

const rowOf = (sums: Tally<TeacherSum>) => ({ ...teacherTotals(sums), ...ratesOf(sums) });

export const getTeacherStats: Handler<typeof statsCalls.getTeacherStats> = async ({ query }, session) => {
  const teacher_id = requestedTeacher(session, query.teacher_id);
  const requested = await requestedRange(query, session);
  const { range, included } = requested;
  return cachedFigures(session, ['teacher-detail', teacher_id], requested, async () => {
    const [{ sums, names }, teacher_name] = await Promise.all([
      teacherSums(session, teacher_id, range),
      readPersonName(session, teacher_id),
    ]);
    const answer = {
      teacher_id,
      teacher_name,
      range: range.request,
      totals: teacherTotals(sums.total),
      ...ratesOf(sums.total),
      clazzes: [...sums.byClazz]
        .map(([clazz_id, tally]) => {
          const name = names.get(clazz_id) ?? null;
          return { clazz_id, name, clazz_name: name, ...rowOf(tally) };
        })
        .toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1)),
      series: seriesOf(range, sums, rowOf),
      included,
    };
    return { answer };
  });
};
