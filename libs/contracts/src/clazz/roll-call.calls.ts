import { BookingNotRestored } from './enrolment.calls.ts';
import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { Decimal, ID, Instant, optional, PersonId, PersonName, prose, STAFF, text } from '../scalars.ts';
import { LEAVE_STATUSES, Mark, ShownLesson } from './clazz.schema.ts';

/** By how much somebody came late; `null` where nobody said, or who was not late. */
const LateMinutes = z.int().nullable().default(null);

/** One listed student. Revision 0 was never marked; where no mark stands, it is what an approved leave presets. */
export const RollCallRow = z.object({
  student_id: PersonId,
  mark: Mark.nullable(),
  revision: z.int(),
  marked_by: PersonId.nullable(),
  marked_at: Instant.nullable(),
  charged_hours: Decimal,
  note: z.string().nullable(),
  late_minutes: LateMinutes,
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
  late_minutes: LateMinutes,
  policy_version: z.int(),
});

const named = { student_name: PersonName, marked_by_name: PersonName };
export const RollCall = z.object({
  lesson: ShownLesson,
  marks: z.array(RollCallRow.extend(named)),
});
export type RollCall = z.output<typeof RollCall>;

const ClosesAt = Instant.meta({
  description: 'Until when its teachers take and change it; a supervisor does later, too, with a reason',
});

/** What somebody with the roll call in hand looks for beside a name. */
const SeenRow = RollCallRow.extend({
  ...named,
  leave: z
    .object({ status: z.enum(LEAVE_STATUSES), in_time: z.boolean(), reason: z.string() })
    .nullable()
    .meta({ description: 'Leave from this lesson that was asked for or approved; `null` where there is none' }),
  hours_left: Decimal.nullable().meta({
    description: 'What the student has left in all; `null` to whoever does not see their hours, and without an account',
  }),
  attended: z
    .object({
      present: z.int().meta({ description: 'Lessons at which the student was' }),
      of: z.int().meta({ description: 'Lessons at which the student has a mark' }),
    })
    .meta({ description: 'Attendance at the lessons of the class before this one' }),
});
const SeenRollCall = z.object({
  lesson: ShownLesson,
  marks: z.array(SeenRow),
  opens_at: Instant.meta({ description: 'From when on roll call is taken' }),
  closes_at: ClosesAt,
});
export type SeenRollCall = z.output<typeof SeenRollCall>;

const MarkInput = Mark.nullable().meta({
  description:
    '`null` withdraws a mark (SUPERVISOR, with a reason): its charge is given back, and the student is missed again',
});

const MarkOfStudent = z.strictObject({
  student_id: PersonId,
  mark: MarkInput,
  note: optional(prose(1_000)),
  late_minutes: optional(z.int().min(1).max(1_440)).meta({
    description: 'By how much the student came late (`mark` is `late`); left out, what was said before stays',
  }),
  revision: optional(z.int().min(0)).meta({
    description:
      'The revision that the caller saw: 409 `mark_changed` where somebody else has said something different since',
  }),
});

const once = (marks: readonly { student_id: string }[]): boolean =>
  new Set(marks.map((mark) => mark.student_id)).size === marks.length;

/** Roll call: rules, part 6. */
export const rollCallCalls = {
  getRollCall: call({
    id: 'clazz.roll_call.get',
    http: 'GET /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Who is listed at a lesson, and how they are marked',
    who: STAFF,
    whose: 'all',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    output: SeenRollCall,
  }),
  submitRollCall: call({
    id: 'clazz.roll_call.submit',
    http: 'PUT /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Mark some or all listed students; what is as it was changes nothing',
    who: STAFF,
    whose: { TEACHER: 'teacher' },
    writes: true,
    path: { lesson_id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      marks: z.array(MarkOfStudent).max(500).refine(once, 'names a student twice'),
      /** Needed once the edit window is over, and to withdraw a mark. */
      reason: optional(text(1_000)),
    }),
    /** Who is on leave again has the credit and its booking again; bookings that do not fit any more, if any, are named. */
    output: RollCall.extend({ not_restored: z.array(BookingNotRestored).optional() }),
    errors: [
      'roll_call_too_early',
      'edit_window_over',
      'insufficient_hours',
      'clazz_closed',
      'invalid_transition',
      'mark_changed',
    ],
  }),
  listRollCallRevisions: call({
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
  listMissingRollCalls: call({
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
        closes_at: ClosesAt,
        unmarked: z.array(PersonId),
        unmarked_names: z.array(PersonName).meta({ description: 'In the order of `unmarked`' }),
      }),
    ),
  }),
};
