import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { chosenChild, namedChild } from '../child.ts';
import { page, pageQuery, queryInt, several, sortQuery } from '../page.ts';
import {
  ALL_ROLES,
  ID,
  Instant,
  InstantInput,
  LocalDate,
  LocalDateInput,
  LocalTime,
  optional,
  PersonId,
  STAFF,
  text,
  Zone,
} from '../scalars.ts';
import { cancelling, Reason } from './clazz.calls.ts';
import { CANCELLERS, Conflict, LESSON_STATUSES, LessonFields, ShownLesson } from './clazz.schema.ts';
import { Closed } from './closure.calls.ts';
import { BookingNotRestored } from './enrolment.calls.ts';
import { SubstituteOption } from './substitution.calls.ts';

const BASE = '/api/v1/clazz';

const range = {
  from: InstantInput.optional().meta({ description: 'Lessons that end after this' }),
  to: InstantInput.optional().meta({ description: 'Lessons that start before this' }),
};
/** Said by who schedules a lesson or a series, or moves one. */
const overriding = {
  override: optional(z.boolean()).meta({
    description: 'SUPERVISOR: keep clashes of teacher and room, `reason` required',
  }),
  reason: optional(Reason),
};
/** What is set alike on all lessons of a new series; its zone is that of its rule, which also says when they are. */
const { starts_at: _start, ends_at: _end, zone: _zone, ...sameForAll } = LessonFields.create;

/** Where the roll call of a lesson stands. */
export const ROLL_CALL_STATES = ['missing', 'incomplete', 'done'] as const;

const people = z.int();
/** Marks at one lesson, by what they say; to students, their own. */
export const MarkCounts = z.object({
  present: people,
  late: people,
  absent: people,
  leave: people,
  makeup: people,
  trial: people,
  unmarked: people.meta({ description: 'Expected, and without a mark' }),
});
export type MarkCounts = z.output<typeof MarkCounts>;

/** A lesson in a list across classes. */
export const LessonOverview = ShownLesson.extend({
  enrolled: people.meta({ description: 'Students of the class who belong to it then' }),
  guests: people.meta({ description: 'Students of other classes who make up for a lesson there' }),
  capacity: people
    .nullable()
    .meta({ description: 'Of the class or of its room, whichever is smaller; `null` is without limit' }),
  free: people.nullable().meta({
    description: 'Places that nobody has; suspended students keep theirs. `null` where `capacity` is',
  }),
  marks: MarkCounts,
});

/** A lesson that lies beside another one of its teacher or in its room, because somebody wanted it so. */
export const ClashingLesson = ShownLesson.extend({
  conflicts: z.array(Conflict).meta({ description: 'The lessons it clashes with now, by start' }),
});
export type ClashingLesson = z.output<typeof ClashingLesson>;

/** What stands in the way of a lesson that is wanted, and ways out of it. */
const LessonCheck = z.object({
  conflicts: z.array(Conflict),
  too_small: z
    .object({
      room: z.string(),
      capacity: people,
      taken: people.meta({ description: 'Who would have a place at the lesson' }),
    })
    .nullable()
    .meta({ description: 'The room, where it holds fewer than have a place at the lesson' }),
  holiday: z.string().nullable().meta({ description: 'What the org has off on that day, in the zone of the policy' }),
  free_teachers: z
    .array(SubstituteOption)
    .meta({ description: 'Where its teacher is not free: some who are, those who teach its course first' }),
  free_times: z
    .array(z.object({ starts_at: Instant, ends_at: Instant }))
    .meta({ description: 'Where something clashes: the next times of the same length at which nothing would' }),
});

const lessonScope = z.enum(['this', 'following', 'all']).default('this');

export const lessonCalls = {
  createLesson: call({
    id: 'clazz.lesson.create',
    http: `POST ${BASE}/{id}/lesson`,
    summary: 'Schedule one lesson; it may lie in the past',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    status: 201,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ ...LessonFields.create, ...overriding }),
    output: ShownLesson,
    errors: ['clazz_closed', 'schedule_conflict', 'room_too_small'],
  }),
  listClazzLessons: call({
    id: 'clazz.lesson.list',
    http: `GET ${BASE}/{id}/lesson`,
    summary: 'Lessons of a class by start',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: {
      ...range,
      status: several(z.enum(LESSON_STATUSES)).optional(),
      series_id: ID.optional(),
      ...chosenChild,
      ...pageQuery,
    },
    output: page(ShownLesson),
  }),
  listLessons: call({
    id: 'clazz.lesson.list_all',
    http: `GET ${BASE}/lesson`,
    summary:
      'Lessons across classes by start: a timetable, a week of a teacher or a student, roll calls that are missing. Students see their own only',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      ...range,
      clazz_id: several(ID).optional(),
      ...LessonFields.filters,
      student_id: several(PersonId).optional().meta({
        description: 'Who belongs to it or makes up there; students ask for themselves only',
      }),
      status: several(z.enum(LESSON_STATUSES))
        .optional()
        .meta({ description: 'Cancelled ones are shown, too, unless left out' }),
      roll_call: several(z.enum(ROLL_CALL_STATES)).optional().meta({
        description:
          '`missing`: over, and without any mark; `incomplete`: somebody is not marked; both of classes that still take roll call. `done`: everybody is marked',
      }),
      min_free: queryInt(0, 100_000)
        .optional()
        .meta({ description: 'At least so many free places, or no limit of them' }),
      ...sortQuery(['starts_at'], 'starts_at'),
      ...pageQuery,
    },
    output: page(LessonOverview),
  }),
  listLessonClashes: call({
    id: 'clazz.lesson.list_clashes',
    http: `GET ${BASE}/lesson/clash`,
    summary:
      'Lessons that clash by teacher or room because a supervisor kept the clash, by start, with what is in the way',
    who: STAFF,
    whose: 'all',
    writes: false,
    audited: true,
    query: { ...range, ...pageQuery },
    output: page(ClashingLesson),
  }),
  listMyLessons: call({
    id: 'clazz.lesson.my',
    http: `GET ${BASE}/lesson/my`,
    summary: "The caller's own lessons by start: taught, assisted or attended",
    who: ALL_ROLES,
    whose: 'self',
    child: 'named',
    writes: false,
    audited: true,
    query: { ...range, ...namedChild, ...pageQuery },
    output: page(ShownLesson),
  }),
  getLesson: call({
    id: 'clazz.lesson.get',
    http: `GET ${BASE}/lesson/{lesson_id}`,
    summary: 'Read one lesson',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'member' },
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
      'What would stand in the way of a new lesson, or of one that is moved or given away, and what would be free instead; stores nothing',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: false,
    path: { id: ID },
    body: z.strictObject({
      lesson_id: optional(ID).meta({ description: 'The lesson that is changed; without, a new one is meant' }),
      scope: lessonScope,
      starts_at: LessonFields.create.starts_at,
      ends_at: LessonFields.create.ends_at,
      teacher_id: LessonFields.create.teacher_id,
      room: LessonFields.create.room,
    }),
    output: LessonCheck,
    errors: ['clazz_closed', 'invalid_transition'],
  }),
  cancelLesson: call({
    id: 'clazz.lesson.cancel',
    http: `POST ${BASE}/lesson/{lesson_id}/cancel`,
    summary: 'Cancel a lesson, or the rest or all of its series; held lessons need a supervisor and a reason',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    body: z.strictObject({ ...cancelling, by: optional(z.enum(CANCELLERS)) }).optional(),
    output: ShownLesson,
    errors: ['clazz_closed', 'invalid_transition', 'version_mismatch'],
  }),
  restoreLesson: call({
    id: 'clazz.lesson.restore',
    http: `POST ${BASE}/lesson/{lesson_id}/restore`,
    summary:
      'Put a cancelled lesson, or a held one without marks, back to scheduled, with the leave and the bookings that cancelling ended',
    who: ['SUPERVISOR'],
    writes: true,
    path: { lesson_id: ID },
    body: z.strictObject({
      reason: Reason,
      override: optional(z.boolean()).meta({ description: 'Keep clashes of teacher and room' }),
    }),
    output: ShownLesson.extend({ not_restored: z.array(BookingNotRestored) }),
    errors: ['clazz_closed', 'invalid_transition', 'schedule_conflict', 'room_too_small', 'version_mismatch'],
  }),
};

const PARTS = /^(FREQ|INTERVAL|BYDAY|BYMONTH|BYMONTHDAY|BYYEARDAY|BYWEEKNO|BYSETPOS|WKST)=[A-Z0-9,+-]+$/;

const ruleProblem = (rule: string): string | undefined => {
  const parts = rule.split(';');
  const names = parts.map((part) => part.split('=', 1)[0] ?? '');
  if (names.some((name) => name === 'COUNT' || name === 'UNTIL')) return 'has COUNT or UNTIL; use count or until';
  if (!parts.every((part) => PARTS.test(part))) return 'must be parts of an RRULE by date (RFC 5545), without prefix';
  if (new Set(names).size < names.length) return 'has a part twice';
  return /(^|;)FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;|$)/.test(rule)
    ? undefined
    : 'needs FREQ=DAILY, WEEKLY, MONTHLY or YEARLY';
};

/** Days of a recurrence rule; the time comes from `start_time`, the end from `count` or `until`. */
const Rule = z
  .string()
  .max(300)
  .superRefine((rule, context) => {
    const message = ruleProblem(rule);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const Series = z
  .strictObject({
    starts_on: LocalDateInput,
    start_time: LocalTime,
    duration_minutes: z.int().min(1).max(1_440),
    zone: Zone,
    rrule: Rule,
    until: optional(LocalDateInput).meta({ description: 'Last day, inclusive' }),
    count: optional(z.int().min(1).max(500)),
    skip_conflicts: optional(z.boolean()),
    ...sameForAll,
    ...overriding,
  })
  .refine((body) => (body.until == null) !== (body.count == null), {
    path: ['count'],
    message: 'give either count or until',
  });
export type SeriesInput = z.output<typeof Series>;

const Skipped = z.array(z.object({ date: LocalDate, holiday: z.string() }));

export const seriesCalls = {
  previewLessonSeries: call({
    id: 'clazz.series.preview',
    http: `POST ${BASE}/{id}/lesson/series/preview`,
    summary: 'Every lesson a series would have, with its clashes; stores nothing',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: false,
    path: { id: ID },
    max_body: LONG_BODY,
    body: Series,
    output: z.object({
      occurrences: z.array(z.object({ starts_at: Instant, ends_at: Instant, conflicts: z.array(Conflict) })),
      skipped: Skipped,
    }),
    errors: ['clazz_closed'],
  }),
  createLessonSeries: call({
    id: 'clazz.series.create',
    http: `POST ${BASE}/{id}/lesson/series`,
    summary: 'Schedule a series, all or nothing unless `skip_conflicts`; holidays do not use up the count',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    cost: 5,
    status: 201,
    path: { id: ID },
    max_body: LONG_BODY,
    body: Series,
    output: z.object({ series_id: ID, items: z.array(ShownLesson), skipped: Skipped }),
    errors: ['clazz_closed', 'schedule_conflict', 'room_too_small'],
  }),
  updateLesson: call({
    id: 'clazz.lesson.update',
    http: `PATCH ${BASE}/lesson/{lesson_id}`,
    summary: 'Change a lesson, or with it the rest or all of its series; answers this lesson',
    who: STAFF,
    whose: { TEACHER: ['lead', 'teacher'] },
    writes: true,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    max_body: LONG_BODY,
    body: z.strictObject({ ...LessonFields.patch, ...overriding }),
    output: ShownLesson.extend({
      changed_lessons: z.int().meta({ description: 'How many lessons of the series changed' }),
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
    summary:
      'Make the holidays of the org exactly this list; lessons already scheduled stay, or are cancelled as by a closure',
    who: ['SUPERVISOR'],
    writes: true,
    query: {
      lessons: z.enum(['keep', 'cancel']).default('keep').meta({
        description: 'What becomes of lessons scheduled on any listed day, in the zone of the policy',
      }),
    },
    max_body: LARGEST_BODY,
    body: z.strictObject({ holidays: z.array(z.strictObject({ date: LocalDateInput, name: text(200) })).max(1_000) }),
    output: z.object({ holidays: z.array(Holiday), ...Closed.partial().shape }),
  }),
  listHolidays: call({
    id: 'clazz.holiday.get',
    http: `GET ${BASE}/holiday`,
    summary: 'Holidays of the org by date',
    who: STAFF,
    whose: 'all',
    writes: false,
    output: z.object({ holidays: z.array(Holiday) }),
  }),
};
