import { z } from 'zod';
import { type Mark, MARKS } from '../clazz/clazz.schema.ts';
import { HourSums } from '../clazz/hour.calls.ts';
import { dayNumber } from '../days.ts';
import { orderedDays, rule } from '../rules.ts';
import { Decimal, ID, Instant, LocalDate, LocalDateInput, PersonId, PersonName, Zone } from '../scalars.ts';

export const UNITS = ['day', 'week', 'month'] as const;

/** The range of local days, both included, at most 400 units. Default: the current month in the zone. */
export const rangeQuery = {
  from: LocalDateInput.optional().meta({ description: 'First local day. Default: the first day of the current month' }),
  to: LocalDateInput.optional().meta({
    description: 'Last local day, included. Default: the last day of the current month. A range has at most 400 units',
  }),
  zone: Zone.default('UTC').meta({ description: 'IANA zone of the days. Default `UTC`' }),
  unit: z
    .enum(UNITS)
    .default('day')
    .meta({ description: 'Unit of the rows of `series`. Default `day`. Weeks begin on Monday' }),
};

type RangeQuery = { from?: string | undefined; to?: string | undefined; unit?: (typeof UNITS)[number] };
/** The number of a unit since 1970. Weeks begin on Monday (ISO 8601). */
const NUMBER_OF: Record<(typeof UNITS)[number], (date: string) => number> = {
  day: dayNumber,
  week: (date) => Math.floor((dayNumber(date) + 3) / 7),
  month: (date) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)),
};

/** Maximum number of units in a range. A series has a row for each. */
export const MAX_UNITS = 400;
/** Rules of the range of statistics. A range with an open end lies in one month. */
export const rangeRules = [
  orderedDays,
  rule(
    ['from', 'to', 'unit'],
    ({ from, to, unit = 'month' }: RangeQuery) =>
      from === undefined || to === undefined || NUMBER_OF[unit](to) - NUMBER_OF[unit](from) < MAX_UNITS,
    { path: 'to', message: ({ unit = 'month' }) => `must leave at most ${MAX_UNITS} ${unit}s in the range` },
  ),
];

export const Range = z.object({ from: LocalDate, to: LocalDate, zone: z.string(), unit: z.enum(UNITS) });

const count = z.int();

/** Number of marks of each kind. */
const markCounts = Object.fromEntries(MARKS.map((mark) => [mark, count])) as Record<Mark, typeof count>;

/** A rate; `null` if its denominator is 0. */
const rate = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}; \`null\` if the denominator is 0` });
const described = (description: string) => count.meta({ description });

/** (present + late) / (present + late + absent). Leave, makeup and trial are outside it. */
export const Attendance = z.object({
  numerator: described('Number of marks `present` and `late`'),
  denominator: described('Number of marks `present`, `late` and `absent`'),
  rate: rate('Attendance rate from 0 to 1: `numerator` / `denominator`'),
  still_attainable_rate: rate(
    'Rate from 0 to 1 if all unmarked students of the range attend: `still_attainable_numerator` / `still_attainable_denominator`',
  ),
  still_attainable_numerator: described('`numerator` plus the seats without a mark'),
  still_attainable_denominator: described('`denominator` plus the seats without a mark'),
});

/** Time from a submission to the first mark that a person gave. */
export const MarkingTurnaround = z.object({
  seconds: described('Sum over all markings, in seconds: the numerator'),
  markings: described('Number of marked submissions: the denominator'),
  average_seconds: rate('Average in seconds: `seconds` / `markings`'),
});

/** A figure of hours in a response that teachers without access to the account may also read. */
const visibleHours = (description: string) =>
  Decimal.nullable().meta({
    description: `${description}; \`null\` if the caller may not read the hour account (\`GET /api/v1/clazz/hour/account/{student_id}\`)`,
  });

/** Lessons of one student. */
export const StudentTotals = z.object({
  /** Lessons that are not cancelled. */
  scheduled: count,
  /** Lessons of these with roll call. */
  held: count,
  ...markCounts,
  hours_consumed: visibleHours('Lesson hours charged, as a decimal with two places'),
});

/** Work of one teacher. */
export const TeacherTotals = z.object({
  scheduled: count,
  lessons_taught: count,
  hours_taught: Decimal,
  /** Number of different students of these lessons. */
  students: count,
  /** Lessons with roll call, and those with roll call within 24 hours after the lesson's end. */
  roll_calls: count,
  roll_calls_in_time: count,
  markings: count,
  leave_handled: count,
});

/** Lessons of a class or of the organization. Marks are summed over all students. */
export const ClazzTotals = z.object({
  scheduled: count,
  held: count,
  ...markCounts,
  hours_taught: Decimal,
  hours_consumed: Decimal,
  roll_calls_in_time: count,
});

const inSeries = {
  /** The first local day of the calendar day, week or month. */
  start: LocalDate,
  /** The part of it that is in the range. */
  starts_at: Instant,
  ends_at: Instant,
  attendance: Attendance,
};

/** Current lesson hours of one account or of all accounts. They do not depend on the range. */
export const HoursSummary = HourSums.extend({
  expiring_30d: Decimal.meta({ description: 'Hours of `remaining` that expire within 30 days' }),
});

/** Lesson hours of one student, for callers who may read the account. */
const HoursOfStudent = z.object({
  granted: visibleHours('Lesson hours granted'),
  adjusted: visibleHours('Lesson hours added by hand; negative if hours were removed'),
  transferred_in: visibleHours('Lesson hours transferred from other students'),
  transferred_out: visibleHours('Lesson hours transferred to other students'),
  consumed: visibleHours('Lesson hours charged minus reversals'),
  refunded: visibleHours('Lesson hours refunded'),
  expired: visibleHours('Lesson hours expired'),
  remaining: visibleHours('Lesson hours remaining'),
  expiring_30d: visibleHours('Hours of `remaining` that expire within 30 days'),
} satisfies Record<keyof typeof HoursSummary.shape, z.ZodType>);

/** Totals of a class. */
const TotalsOfClazz = ClazzTotals.extend({
  hours_consumed: Decimal.nullable().meta({
    description:
      'Lesson hours charged to all students; `null` if the caller may not read the hour accounts of all students of the class',
  }),
});

export const MyLessons = z.object({
  student_id: PersonId,
  student_name: z.string().nullable(),
  range: Range,
  totals: StudentTotals,
  hours: HoursOfStudent,
  attendance: Attendance,
  clazzes: z.array(
    StudentTotals.extend({
      clazz_id: ID,
      name: z.string().nullable(),
      clazz_name: z.string().nullable(),
      attendance: Attendance,
    }),
  ),
  upcoming: z.array(
    z.object({
      lesson_id: ID,
      clazz_id: ID,
      name: z.string().nullable(),
      clazz_name: z.string().nullable(),
      starts_at: Instant,
      ends_at: Instant,
    }),
  ),
  series: z.array(StudentTotals.extend(inSeries)),
  included: z.boolean(),
});

export const TeacherDetail = z.object({
  teacher_id: PersonId,
  teacher_name: z.string().nullable(),
  range: Range,
  totals: TeacherTotals,
  attendance: Attendance,
  marking_turnaround: MarkingTurnaround,
  clazzes: z.array(
    TeacherTotals.extend({
      clazz_id: ID,
      name: z.string().nullable(),
      clazz_name: z.string().nullable(),
      attendance: Attendance,
      marking_turnaround: MarkingTurnaround,
    }),
  ),
  series: z.array(TeacherTotals.extend({ ...inSeries, marking_turnaround: MarkingTurnaround })),
  included: z.boolean(),
});

export const ClazzStats = z.object({
  clazz_id: ID,
  name: z.string(),
  clazz_name: z.string(),
  range: Range,
  totals: TotalsOfClazz,
  attendance: Attendance,
  students: z.array(
    StudentTotals.extend({
      student_id: PersonId,
      name: z.string().nullable(),
      student_name: PersonName,
      attendance: Attendance,
    }),
  ),
  series: z.array(TotalsOfClazz.extend(inSeries)),
  included: z.boolean(),
});

export const OrgOverview = z.object({
  range: Range,
  totals: ClazzTotals.extend({ markings: count, leave_handled: count }),
  attendance: Attendance,
  marking_turnaround: MarkingTurnaround,
  clazzes_active: described('Number of classes that are active now'),
  students_active: described('Number of different students with an active enrolment now'),
  hours: HoursSummary,
  series: z.array(
    ClazzTotals.extend({
      ...inSeries,
      markings: count,
      leave_handled: count,
      marking_turnaround: MarkingTurnaround,
    }),
  ),
  included: z.boolean(),
});

/** The figures whose source rows can be listed. */
export const FIGURES = [
  'scheduled',
  'held',
  ...MARKS,
  'hours_consumed',
  'lessons_taught',
  'hours_taught',
  'students',
  'roll_calls',
  'roll_calls_in_time',
  'markings',
  'leave_handled',
  'numerator',
  'denominator',
  'unmarked',
  'still_attainable_numerator',
  'still_attainable_denominator',
  'marking_turnaround',
  'clazzes_active',
  'students_active',
  'granted',
  'consumed',
  'remaining',
  'expiring_30d',
  'adjusted',
  'transferred_in',
  'transferred_out',
  'refunded',
  'expired',
] as const;
export type Figure = (typeof FIGURES)[number];

/** Figures of hours of students. `explain` is 403 for callers for whom the figure is `null`. */
export const HOUR_FIGURES: readonly Figure[] = ['hours_consumed', ...HoursSummary.keyof().options];

/** A source row of a figure: the record that counts, its time, and its contribution. */
export const SourceRow = z.object({
  source: z.enum(['lesson', 'mark', 'seat', 'student', 'marking', 'leave', 'entry', 'lot', 'clazz']),
  id: z.string(),
  counts: z.union([Decimal, z.int()]).meta({
    description:
      'Contribution of the row to the figure: hours as a decimal with two places, seconds for `marking_turnaround`, else a count',
  }),
  at: Instant,
  clazz_id: z.string().nullable(),
  clazz_name: z.string().nullable(),
  lesson_id: z.string().nullable(),
  lesson_starts_at: Instant.nullable(),
  lesson_ends_at: Instant.nullable(),
  student_id: z.string().nullable(),
  student_name: z.string().nullable(),
  teacher_id: z.string().nullable(),
  teacher_name: PersonName,
  /** The mark, status or kind of the record. */
  state: z.string().nullable(),
  /** The person who marked, decided or took the roll call, and the time. */
  by: z.string().nullable(),
  by_name: PersonName,
  done_at: Instant.nullable(),
  revision: z.int().nullable(),
});
export type SourceRow = z.infer<typeof SourceRow>;
