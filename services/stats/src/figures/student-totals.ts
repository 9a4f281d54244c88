import { fromHundredths, MARKS } from '@teaching/contracts';
import { attendanceOf } from './rates.rules.ts';
import { countsOf, hundredthsOf } from './sql-fragments.ts';
import type { Tally } from './tally.rules.ts';

/**
 * Names of the sums of a student. `guests`: marks at lessons of classes in which the student was no member then.
 * `booked`: booked make-up lessons in which the student has no mark yet.
 */
export const STUDENT_SUMS = [
  'scheduled',
  'held',
  ...MARKS,
  'hours_consumed',
  'guests',
  'booked',
  'booked_held',
] as const;
export type StudentSums = Tally<(typeof STUDENT_SUMS)[number]>;

const BY_MARK = countsOf(MARKS, (mark) => `m.mark = '${mark}' and m.counts`);
const CHARGED = hundredthsOf({ hours_consumed: 'm.charged_hours' });
const GUESTS = countsOf(
  ['guests'],
  () => `m.mark is not null and m.counts and not exists (
    select from enrolment as e
    where e.org_id = m.org_id and e.gen = m.gen and e.student_id = m.student_id and e.clazz_id = m.clazz_id
      and e.during @> m.at)`,
);

/** Sums over marks `m`. A mark at a cancelled lesson does not count, but the hours that are still charged for it do. */
export const MARK_SUMS = {
  columns: [BY_MARK.columns, CHARGED.columns, GUESTS.columns].join(', '),
  shape: { ...BY_MARK.shape, ...CHARGED.shape, ...GUESTS.shape },
};

/** A leave `v` joined with its booked make-up lesson `l`. */
export const BOOKINGS = `leave as v
  join lesson as l on l.org_id = v.org_id and l.gen = v.gen and l.id = v.make_up_lesson_id`;
/**
 * SQL condition: the student of the leave `v` has a booked place at the make-up lesson `l`, is no member of its class,
 * and has no mark yet.
 */
export const IS_BOOKED = `not exists (select from enrolment as e where e.org_id = l.org_id and e.gen = l.gen
    and e.student_id = v.student_id and e.clazz_id = l.clazz_id and e.during @> l.starts_at)
  and not exists (select from mark as m where m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id
    and m.student_id = v.student_id and m.mark is not null)`;
/** Sums over booked make-up lessons `l`. */
export const BOOKED_SUMS = countsOf(['booked', 'booked_held'], (name) =>
  name === 'booked' ? 'true' : "l.status = 'held'",
);

/** The totals of a student. They include the lessons that the student attended or booked as a guest. */
export const studentTotals = (sums: StudentSums) => {
  const { scheduled, held, hours_consumed, guests, booked, booked_held, ...marks } = sums;
  return {
    scheduled: scheduled + guests + booked,
    held: held + guests + booked_held,
    ...marks,
    hours_consumed: fromHundredths(hours_consumed),
  };
};

const countMarked = (sums: StudentSums): number => MARKS.reduce((all, mark) => all + sums[mark], 0);

export const studentAttendance = (sums: StudentSums) =>
  attendanceOf({ ...sums, unmarked: Math.max(0, sums.scheduled + sums.guests + sums.booked - countMarked(sums)) });
