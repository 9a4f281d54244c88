import { MARKS } from '@teaching/contracts';
import { attendanceOf } from './attendance.rules.ts';
import { hundredths } from './sql.ts';
import { decimal, type Tally } from './tally.rules.ts';

/** What is summed for a student. `guests` are marks at lessons of classes they did not belong to then. */
export const STUDENT_SUMS = ['scheduled', 'held', ...MARKS, 'hours_consumed', 'guests'] as const;
export type StudentSums = Tally<(typeof STUDENT_SUMS)[number]>;

/** Sums over marks `m`: a mark at a cancelled lesson counts no more, the hours still charged for it do. */
export const MARK_SUMS = `
  ${MARKS.map((mark) => `count(*) filter (where m.mark = '${mark}' and m.counts)::int as ${mark}`).join(', ')},
  ${hundredths('m.charged_hours', 'hours_consumed')},
  count(*) filter (where m.mark is not null and m.counts and not exists (
    select from enrolment as e
    where e.org_id = m.org_id and e.gen = m.gen and e.student_id = m.student_id and e.clazz_id = m.clazz_id
      and e.during @> m.at))::int as guests`;

/** A student's totals. A lesson they were marked at as a guest is theirs, too, and was held. */
export const studentTotals = (sums: StudentSums) => {
  const { scheduled, held, hours_consumed, guests, ...marks } = sums;
  return { scheduled: scheduled + guests, held: held + guests, ...marks, hours_consumed: decimal(hours_consumed) };
};

const marked = (sums: StudentSums): number => MARKS.reduce((all, mark) => all + sums[mark], 0);

export const studentAttendance = (sums: StudentSums) =>
  attendanceOf({ ...sums, unmarked: Math.max(0, sums.scheduled + sums.guests - marked(sums)) });
