import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { chosenChild, namedChild } from '../child.ts';
import { DAY_MS } from '../days.ts';
import { page, pageQuery, queryInt, commaSeparated, sortQuery } from '../page.ts';
import { recurrenceProblems } from '../recurrence.ts';
import { distinct, rule } from '../rules.ts';
import {
  ALL_ROLES,
  ID,
  Instant,
  InstantInput,
  LocalDate,
  LocalDateInput,
  LocalTime,
  optional,
  PersonIdInput,
  STAFF,
  text,
  Zone,
} from '../scalars.ts';
import { cancellationFields, Reason } from './clazz.calls.ts';
import { CANCELLERS, Conflict, LESSON_STATUSES, LessonFields, ShownLesson } from './clazz.schema.ts';
import { Closed } from './closure.calls.ts';
import { BookingNotRestored } from './enrolment.calls.ts';
import { SubstituteOption } from './substitution.calls.ts';

const BASE = '/api/v1/clazz';

const range = {
  from: InstantInput.optional().meta({ description: 'Start of the range: lessons that end after this instant' }),
  to: InstantInput.optional().meta({ description: 'End of the range: lessons that start before this instant' }),
};
/** Body members of calls that schedule or move lessons. */
const overriding = {
  override: optional(z.boolean()).meta({
    description: 'Supervisors only: accept clashes of teacher and room. Requires `reason`. Default false',
  }),
  reason: optional(Reason),
};
type Overriding = { override?: boolean | null | undefined; reason?: string | null | undefined };
const overrideReason = rule(
  ['override', 'reason'],
  ({ override, reason }: Overriding) => override !== true || reason != null,
  { path: 'reason', message: 'is required with override' },
);
/** Fields that are the same for all lessons of a new series. The rule of the series sets times and zone. */
const { starts_at: _start, ends_at: _end, zone: _zone, ...sameForAll } = LessonFields.create;

/** States of the roll call of a lesson. */
export const ROLL_CALL_STATES = ['missing', 'incomplete', 'done'] as const;

const people = z.int();
/** Number of marks at one lesson, by kind. Students see only their own mark. */
export const MarkCounts = z.object({
  present: people,
  late: people,
  absent: people,
  leave: people,
  makeup: people,
  trial: people,
  unmarked: people.meta({ description: 'Expected students without a mark' }),
});
export type MarkCounts = z.output<typeof MarkCounts>;

/** A lesson in a list across classes. */
export const LessonOverview = ShownLesson.extend({
  enrolled: people.meta({ description: 'Students of the class at the time of the lesson' }),
  guests: people.meta({ description: 'Students who make up a missed lesson here' }),
  capacity: people.nullable().meta({ description: 'Seats: the smaller of class and room capacity; `null`: no limit' }),
  free: people.nullable().meta({
    description:
      'Free seats: `capacity` minus active and suspended members and booked guests. `null` if `capacity` is `null`',
  }),
  marks: MarkCounts,
});

/** A lesson that clashes with another one of its teacher or room, because a supervisor accepted the clash. */
export const ClashingLesson = ShownLesson.extend({
  conflicts: z.array(Conflict).meta({ description: 'Lessons that it clashes with now, by start' }),
});
export type ClashingLesson = z.output<typeof ClashingLesson>;

const TooSmall = z
  .object({
    room: z.string(),
    capacity: people,
    taken: people.meta({ description: 'The most seats that are taken at one of the lessons' }),
  })
  .nullable()
  .meta({ description: 'The room, if its capacity is below the seats taken; `null` if it is large enough' });

const TakenRooms = z
  .array(z.string())
  .meta({ description: 'Rooms in which another lesson takes place at the time of one of the lessons' });

/** Obstacles to a planned lesson, and alternatives. With `scope` they concern all lessons that would change. */
const LessonCheck = z.object({
  conflicts: z.array(Conflict).meta({ description: 'Clashes that refuse the change unless they are overridden' }),
  accepted: z.array(Conflict).meta({
    description:
      'Clashes of teacher and room that were accepted before, and that the change keeps. They refuse nothing',
  }),
  too_small: TooSmall,
  holiday: z.string().nullable().meta({
    description: 'Name of the first holiday on these days, in the zone of the policy; `null` if there is none',
  }),
  taken_rooms: TakenRooms,
  free_teachers: z
    .array(SubstituteOption)
    .meta({ description: 'If the teacher is not free: teachers who are free at all times, those of the course first' }),
  free_times: z.array(z.object({ starts_at: Instant, ends_at: Instant })).meta({
    description: 'If a single lesson clashes: the next times of the same length without a clash',
  }),
});

type Times = { starts_at?: string | undefined; ends_at?: string | undefined };
const lengthOf = ({ starts_at, ends_at }: Times): number | undefined =>
  starts_at === undefined || ends_at === undefined ? undefined : Date.parse(ends_at) - Date.parse(starts_at);
/** Rules of the length of a lesson (rules, part 10), where a request contains both times. */
const lessonTimes = [
  rule(['starts_at', 'ends_at'], (times: Times) => (lengthOf(times) ?? 1) > 0, {
    path: 'ends_at',
    message: 'must be after starts_at',
  }),
  rule(['starts_at', 'ends_at'], (times: Times) => (lengthOf(times) ?? 0) <= DAY_MS, {
    path: 'ends_at',
    message: 'must be at most 24 hours after starts_at',
  }),
] as const;

const lessonScope = z.enum(['this', 'following', 'all']).default('this');

export const lessonCalls = {
  createLesson: call({
    id: 'clazz.lesson.create',
    http: `POST ${BASE}/{id}/lesson`,
    summary: 'Schedule a lesson. It may be in the past',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    status: 201,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...LessonFields.create, ...overriding }).check(...lessonTimes, overrideReason),
    output: ShownLesson,
    errors: ['clazz_closed', 'schedule_conflict', 'room_too_small'],
  }),
  listClazzLessons: call({
    id: 'clazz.lesson.list',
    http: `GET ${BASE}/{id}/lesson`,
    summary: 'List the lessons of a class by start',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: {
      ...range,
      status: commaSeparated(z.enum(LESSON_STATUSES)).optional(),
      series_id: commaSeparated(ID).optional(),
      student_id: commaSeparated(PersonIdInput).optional().meta({
        description:
          'For staff: lessons that these students attend or make up at. For guardians: the child to act for. Students may only name themselves',
      }),
      ...pageQuery,
    },
    output: page(ShownLesson),
  }),
  listLessons: call({
    id: 'clazz.lesson.list_all',
    http: `GET ${BASE}/lesson`,
    summary:
      'List lessons across classes by start. Use it for a timetable or for missing roll calls. Students see only their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      ...range,
      clazz_id: commaSeparated(ID).optional(),
      ...LessonFields.filters,
      student_id: commaSeparated(PersonIdInput).optional().meta({
        description: 'Lessons that these students attend or make up at. Students may only name themselves',
      }),
      status: commaSeparated(z.enum(LESSON_STATUSES))
        .optional()
        .meta({ description: 'Status of the lessons. Default: all, including cancelled lessons' }),
      roll_call: commaSeparated(z.enum(ROLL_CALL_STATES)).optional().meta({
        description:
          '`missing`: ended without any mark. `incomplete`: ended with unmarked students. Both only in classes that accept roll call. `done`: all students are marked',
      }),
      min_free: queryInt(0, 100_000)
        .optional()
        .meta({ description: 'Lessons with at least this number of free seats, or without a limit' }),
      ...sortQuery(['starts_at'], 'starts_at'),
      ...pageQuery,
    },
    output: page(LessonOverview),
  }),
  listLessonClashes: call({
    id: 'clazz.lesson.list_clashes',
    http: `GET ${BASE}/lesson/clash`,
    summary: 'List lessons with an accepted clash, by start. A supervisor accepted the clash of teacher or room',
    roles: STAFF,
    access: 'all',
    writes: false,
    audited: true,
    query: { ...range, ...pageQuery },
    output: page(ClashingLesson),
  }),
  listMyLessons: call({
    id: 'clazz.lesson.my',
    http: `GET ${BASE}/lesson/my`,
    summary: 'List the lessons of the caller by start. Includes lessons that the caller teaches, assists or attends',
    roles: ALL_ROLES,
    access: 'self',
    child: 'named',
    writes: false,
    audited: true,
    query: { ...range, ...namedChild, ...pageQuery },
    output: page(ShownLesson),
  }),
  getLesson: call({
    id: 'clazz.lesson.get',
    http: `GET ${BASE}/lesson/{lesson_id}`,
    summary: 'Read a lesson',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    query: chosenChild,
    output: ShownLesson,
  }),
  checkLesson: call({
    id: 'clazz.lesson.check',
    http: `POST ${BASE}/{id}/lesson/check`,
    summary:
      'Check a lesson for clashes. The lesson is new or changed; the response has free alternatives. Stores nothing',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: false,
    path: { id: ID },
    body: z
      .strictObject({
        lesson_id: optional(ID).meta({ description: 'The lesson to change. Omitted: a new lesson' }),
        scope: lessonScope,
        starts_at: LessonFields.create.starts_at,
        ends_at: LessonFields.create.ends_at,
        teacher_id: LessonFields.create.teacher_id,
        room: LessonFields.create.room,
      })
      .check(...lessonTimes),
    output: LessonCheck,
    errors: ['clazz_closed', 'invalid_transition'],
  }),
  cancelLesson: call({
    id: 'clazz.lesson.cancel',
    http: `POST ${BASE}/lesson/{lesson_id}/cancel`,
    summary:
      'Cancel a lesson, or with `scope` the rest or all of its series. Only supervisors may cancel held lessons, with a reason',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    body: z.strictObject({ ...cancellationFields, by: optional(z.enum(CANCELLERS)) }).optional(),
    output: ShownLesson,
    errors: ['clazz_closed', 'invalid_transition', 'version_mismatch'],
  }),
  deleteLesson: call({
    id: 'clazz.lesson.delete',
    http: `DELETE ${BASE}/lesson/{lesson_id}`,
    summary:
      'Remove a new lesson, or with `scope` the rest or all of its series. All are removed or none: each was created in the last 10 minutes, has not begun, and never had a mark, leave or booking',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    status: 204,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    output: z.null(),
    errors: ['clazz_closed', 'lesson_in_use', 'version_mismatch'],
  }),
  restoreLesson: call({
    id: 'clazz.lesson.restore',
    http: `POST ${BASE}/lesson/{lesson_id}/restore`,
    summary:
      'Restore a lesson. A cancelled lesson gets back the leave and bookings that cancelling ended; a held lesson must have no marks',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { lesson_id: ID },
    body: z.strictObject({
      reason: Reason,
      override: optional(z.boolean()).meta({ description: 'Accept clashes of teacher and room. Default false' }),
    }),
    output: ShownLesson.extend({ not_restored: z.array(BookingNotRestored) }),
    errors: ['clazz_closed', 'invalid_transition', 'schedule_conflict', 'room_too_small', 'version_mismatch'],
  }),
};

const ruleProblems = (value: string): string[] => [
  ...(/(^|;)(COUNT|UNTIL)=/i.test(value) ? ['must not contain COUNT or UNTIL; use the fields count or until'] : []),
  ...recurrenceProblems(value),
];

/** A recurrence rule of days. `start_time` sets the time, `count` or `until` sets the end. */
const Rule = z
  .string()
  .max(300)
  .superRefine((value, context) => {
    for (const message of ruleProblems(value)) context.addIssue({ code: 'custom', message });
  });

const Series = z
  .strictObject({
    starts_on: LocalDateInput,
    start_time: LocalTime,
    duration_minutes: z.int().min(1).max(1_440),
    zone: Zone,
    rrule: Rule,
    until: optional(LocalDateInput).meta({ description: 'Last local day, included, instead of `count`' }),
    count: optional(z.int().min(1).max(500)),
    skip_conflicts: optional(z.boolean()),
    ...sameForAll,
    ...overriding,
  })
  .check(
    rule(['until', 'count'], (body) => (body.until == null) !== (body.count == null), {
      path: 'count',
      message: 'exactly one of count and until is required',
    }),
  );
export type SeriesInput = z.output<typeof Series>;

const Skipped = z.array(z.object({ date: LocalDate, holiday: z.string() }));

export const seriesCalls = {
  previewLessonSeries: call({
    id: 'clazz.series.preview',
    http: `POST ${BASE}/{id}/lesson/series/preview`,
    summary: 'Preview the lessons of a series with their clashes. Stores nothing',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: false,
    path: { id: ID },
    max_body: LONG_BODY,
    body: Series,
    output: z.object({
      occurrences: z.array(z.object({ starts_at: Instant, ends_at: Instant, conflicts: z.array(Conflict) })),
      skipped: Skipped,
      too_small: TooSmall,
      taken_rooms: TakenRooms,
    }),
    errors: ['clazz_closed'],
  }),
  createLessonSeries: call({
    id: 'clazz.series.create',
    http: `POST ${BASE}/{id}/lesson/series`,
    summary:
      'Schedule a series of lessons. All or none are created, unless `skip_conflicts` is set. Holidays do not count towards `count`',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    cost: 5,
    status: 201,
    path: { id: ID },
    max_body: LONG_BODY,
    body: Series.check(overrideReason),
    output: z.object({ series_id: ID, items: z.array(ShownLesson), skipped: Skipped }),
    errors: ['clazz_closed', 'schedule_conflict', 'room_too_small'],
  }),
  updateLesson: call({
    id: 'clazz.lesson.update',
    http: `PATCH ${BASE}/lesson/{lesson_id}`,
    summary: 'Update a lesson, or with `scope` the rest or all of its series',
    roles: STAFF,
    access: { TEACHER: ['lead', 'teacher'] },
    writes: true,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    max_body: LONG_BODY,
    body: z.strictObject({ ...LessonFields.patch, ...overriding }).check(...lessonTimes, overrideReason),
    output: ShownLesson.extend({
      changed_lessons: z.int().meta({ description: 'Number of lessons that changed' }),
    }),
    errors: [
      'clazz_closed',
      'clazz_full',
      'invalid_transition',
      'schedule_conflict',
      'room_too_small',
      'version_mismatch',
      'edit_window_over',
      'insufficient_hours',
    ],
  }),
};

const Holiday = z.object({ date: LocalDate, name: z.string() });

export const holidayCalls = {
  putHolidays: call({
    id: 'clazz.holiday.put',
    http: `PUT ${BASE}/holiday`,
    summary: 'Replace the holidays of the organization. `lessons=cancel` cancels lessons scheduled on these days',
    roles: ['SUPERVISOR'],
    writes: true,
    query: {
      lessons: z.enum(['keep', 'cancel']).default('keep').meta({
        description: 'What happens to lessons scheduled on these days, in the zone of the policy. Default `keep`',
      }),
    },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      holidays: z
        .array(z.strictObject({ date: LocalDateInput, name: text(200) }))
        .max(1_000)
        .check(distinct(({ date }) => date, ['date'])),
    }),
    output: z.object({ holidays: z.array(Holiday), ...Closed.partial().shape }),
  }),
  listHolidays: call({
    id: 'clazz.holiday.get',
    http: `GET ${BASE}/holiday`,
    summary: 'List the holidays of the organization by date',
    roles: STAFF,
    access: 'all',
    writes: false,
    output: z.object({ holidays: z.array(Holiday) }),
  }),
};
