import { BookingNotRestored } from './enrolment.calls.ts';
import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery, commaSeparated } from '../page.ts';
import { Decimal, ID, Instant, optional, PersonId, PersonIdInput, PersonName, prose, STAFF, text } from '../scalars.ts';
import { isList } from '../rules.ts';
import { LEAVE_STATUSES, Mark, ShownLesson } from './clazz.schema.ts';

/** Minutes by which the student was late; `null` if not recorded or not late. */
const LateMinutes = z.int().nullable().default(null);

/** Minutes in which a teacher may withdraw a mark that the same teacher set, without a reason. */
export const WITHDRAWAL_MINUTES = 10;

/** One listed student. Revision 0: never marked. Without a mark, `mark` is the preset of an approved leave. */
export const RollCallRow = z.object({
  student_id: PersonId,
  mark: Mark.nullable(),
  revision: z.int(),
  marked_by: PersonId.nullable(),
  marked_at: Instant.nullable(),
  charged_hours: Decimal,
  note: z.string().nullable(),
  late_minutes: LateMinutes,
  /** Whether the student makes up a missed lesson here, of this or another class. */
  make_up: z.boolean(),
});
export type RollCallRow = z.output<typeof RollCallRow>;

/** One revision of a mark. Revisions never change. */
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
  description: 'End of the edit window. Until then teachers may mark; later only a supervisor may, with a reason',
});

/** A listed student with the data that a teacher needs during roll call. */
const RollCallSheetRow = RollCallRow.extend({
  ...named,
  leave: z
    .object({
      status: z.enum(LEAVE_STATUSES),
      in_time: z.boolean(),
      reason: z.string(),
      decision_reason: z.string().nullable().default(null),
    })
    .nullable()
    .meta({ description: 'Pending or approved leave for this lesson; `null` if there is none' }),
  hours_left: Decimal.nullable().meta({
    description: 'Balance of the student in lesson hours; `null` without an account, or if the caller may not read it',
  }),
  attended: z
    .object({
      present: z.int().meta({ description: 'Lessons that the student attended' }),
      of: z.int().meta({ description: 'Lessons at which the student has a mark' }),
    })
    .meta({ description: 'Attendance of the student at earlier lessons of the class' }),
});
const RollCallSheet = z.object({
  lesson: ShownLesson,
  marks: z.array(RollCallSheetRow),
  opens_at: Instant.meta({ description: 'Start of the time in which the lesson accepts roll call' }),
  closes_at: ClosesAt,
});
export type RollCallSheet = z.output<typeof RollCallSheet>;

const MarkInput = Mark.nullable().meta({
  description:
    'The mark. `null` withdraws the mark and returns its charge; the student is unmarked again. The teacher who set the mark may do so for 10 minutes; later, or for marks of others, only a supervisor, with a reason',
});

const MarkOfStudent = z.strictObject({
  student_id: PersonIdInput,
  mark: MarkInput,
  note: optional(prose(1_000)),
  late_minutes: optional(z.int().min(1).max(1_440)).meta({
    description:
      'Minutes by which the student was late, 1 to 1,440; only with `mark: late`. Omitted: the previous value stays',
  }),
  revision: optional(z.int().min(0)).meta({
    description:
      'The revision that the caller has read. 409 `mark_changed` if another person has changed the mark since',
  }),
});

const isEachStudentOnce = (marks: readonly { student_id: string }[]): boolean =>
  new Set(marks.map((mark) => mark.student_id)).size === marks.length;

/** Roll call (rules, part 6). */
export const rollCallCalls = {
  getRollCall: call({
    id: 'clazz.roll_call.get',
    http: 'GET /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Read the roll call of a lesson',
    roles: STAFF,
    access: 'all',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    output: RollCallSheet,
  }),
  submitRollCall: call({
    id: 'clazz.roll_call.submit',
    http: 'PUT /api/v1/clazz/lesson/{lesson_id}/roll-call',
    summary: 'Submit marks of some or all listed students. Marks that are the same change nothing',
    roles: STAFF,
    access: { TEACHER: 'teacher' },
    writes: true,
    path: { lesson_id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      marks: z
        .array(MarkOfStudent)
        .max(500)
        .refine(isEachStudentOnce, { when: isList, message: 'must contain each student once' }),
      /** Required of supervisors after the edit window, and to withdraw a mark. */
      reason: optional(text(1_000)),
    }),
    /** `not_restored`: bookings that a mark `leave` should have restored, but that no longer fit. */
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
    summary: 'List all revisions of the marks of a lesson, oldest first',
    roles: STAFF,
    access: 'all',
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
      'List past lessons with a missing or incomplete roll call. Each has its unmarked students. Only active classes are included. Teachers see their own',
    roles: STAFF,
    access: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    query: { clazz_id: commaSeparated(ID).optional(), ...pageQuery },
    output: page(
      ShownLesson.extend({
        closes_at: ClosesAt,
        unmarked: z.array(PersonId),
        unmarked_names: z.array(PersonName).meta({ description: 'Display names, in the order of `unmarked`' }),
      }),
    ),
  }),
};
