import { BookingNotRestored } from './enrolment.calls.ts';
import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { Decimal, ID, Instant, optional, PersonId, PersonName, prose, STAFF, text } from '../scalars.ts';
import { Mark, ShownLesson } from './clazz.schema.ts';

/** One listed student. Revision 0 was never marked; where no mark stands, it is what an approved leave presets. */
export const RollCallRow = z.object({
  student_id: PersonId,
  mark: Mark.nullable(),
  revision: z.int(),
  marked_by: PersonId.nullable(),
  marked_at: Instant.nullable(),
  charged_hours: Decimal,
  note: z.string().nullable(),
  /** Here to make up for a missed lesson, from this or another class. */
  make_up: z.boolean(),
});
export type RollCallRow = z.output<typeof RollCallRow>;

/** One revision of a mark, as it stays. */
export const RollCallRevision = z.object({
  student_id: PersonId,
  mark: Mark.nullable(),
  revision: z.int(),
  marked_by: PersonId,
  marked_at: Instant,
  reason: z.string().nullable(),
  charged_hours: Decimal,
  note: z.string().nullable(),
  policy_version: z.int(),
});

const named = { student_name: PersonName, marked_by_name: PersonName };
export const RollCall = z.object({
  lesson: ShownLesson,
  marks: z.array(RollCallRow.extend(named)),
});
export type RollCall = z.output<typeof RollCall>;

const MarkInput = Mark.nullable().meta({
  description:
    '`null` withdraws a mark (SUPERVISOR, with a reason): its charge is given back, and the student is missed again',
});

const once = (marks: readonly { student_id: string }[]): boolean =>
  new Set(marks.map((mark) => mark.student_id)).size === marks.length;

/** Roll call: rules, part 6. */
export const rollCallCalls = {
  get: call({
    id: 'clazz.roll_call.get',
    http: 'GET /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Who is listed at a lesson, and how they are marked',
    who: STAFF,
    whose: 'all',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    output: RollCall,
  }),
  submit: call({
    id: 'clazz.roll_call.submit',
    http: 'PUT /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Mark some or all listed students; what is as it was changes nothing',
    who: STAFF,
    whose: { TEACHER: 'teacher' },
    writes: true,
    path: { lesson_id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      marks: z
        .array(z.strictObject({ student_id: PersonId, mark: MarkInput, note: optional(prose(1_000)) }))
        .max(500)
        .refine(once, 'names a student twice'),
      /** Needed once the edit window is over, and to withdraw a mark. */
      reason: optional(text(1_000)),
    }),
    /** Who is on leave again has the credit and its booking again; bookings that do not fit any more, if any, are named. */
    output: RollCall.extend({ not_restored: z.array(BookingNotRestored).optional() }),
    errors: ['roll_call_too_early', 'edit_window_over', 'insufficient_hours', 'clazz_closed', 'invalid_transition'],
  }),
  history: call({
    id: 'clazz.roll_call.history',
    http: 'GET /api/v1/clazz/lesson/{lesson_id}/roll-call/history',
    summary: 'Every revision of every mark, oldest first',
    who: STAFF,
    whose: 'all',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    query: pageQuery,
    output: page(RollCallRevision.extend(named)),
  }),
  missing: call({
    id: 'clazz.roll_call.missing',
    http: 'GET /api/v1/clazz/roll-call/missing',
    summary:
      'Past lessons of running classes without roll call or with an incomplete one, and who is unmarked; teachers see their own',
    who: STAFF,
    whose: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    query: { clazz_id: ID.optional(), ...pageQuery },
    output: page(
      ShownLesson.extend({
        unmarked: z.array(PersonId),
        unmarked_names: z.array(PersonName).meta({ description: 'In the order of `unmarked`' }),
      }),
    ),
  }),
};
