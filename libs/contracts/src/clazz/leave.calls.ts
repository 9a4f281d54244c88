import { z } from 'zod';
import { call, LONG_BODY } from '../call.ts';
import { chosenChild, chosenChildInBody } from '../child.ts';
import type { ProblemCode } from '../problem.ts';
import { page, pageQuery, commaSeparated } from '../page.ts';
import { nonEmptyRange, rule } from '../rules.ts';
import {
  ALL_ROLES,
  Decimal,
  ID,
  Instant,
  InstantInput,
  optional,
  PersonId,
  PersonIdInput,
  PersonName,
  STAFF,
  text,
} from '../scalars.ts';
import { LEAVE_STATUSES, ShownLesson } from './clazz.schema.ts';

const BASE = '/api/v1/clazz/leave';

/** Stored states of a credit. An available credit after its expiry is shown as `expired`. */
export const STORED_CREDIT_STATUSES = ['available', 'used', 'withdrawn'] as const;
const CREDIT_STATUSES = [...STORED_CREDIT_STATUSES, 'expired'] as const;

/** The credit of an approved leave, for one make-up lesson. */
const MakeUp = z.object({
  status: z.enum(CREDIT_STATUSES),
  expires_at: Instant,
  /** The booked lesson; `null` while the credit is not used. */
  lesson_id: z.string().nullable(),
});

/** The leave of one student for one lesson. */
export const Leave = z.object({
  id: ID,
  clazz_id: ID,
  lesson_id: ID,
  student_id: PersonId,
  status: z.enum(LEAVE_STATUSES),
  /** Whether the request was made before the deadline in force. */
  in_time: z.boolean(),
  reason: z.string(),
  requested_by: PersonId,
  requested_at: Instant,
  /** `null` if the policy approved it at once (`leave.approval`). */
  decided_by: z.string().nullable(),
  decided_at: Instant.nullable(),
  /** The reason that the person gave who approved or rejected it. */
  decision_reason: z.string().nullable().default(null),
  /** The person who cancelled it. Cancelling does not change `decided_by`. */
  cancelled_by: z.string().nullable(),
  cancelled_at: Instant.nullable(),
  /** Time and caller of a phone call, as staff recorded them. Notice counts from then. */
  called_at: Instant.nullable(),
  called_by: z.string().nullable(),
  /** Reason of a supervisor for leave beyond deadline or quota. */
  override_reason: z.string().nullable(),
  policy_version: z.int(),
  make_up: MakeUp.nullable(),
  version: z.int(),
});
export type Leave = z.output<typeof Leave>;

/** A leave in responses: with names and lesson times. People who may decide also see charge and quota. */
export const ListedLeave = Leave.extend({
  clazz_name: z.string(),
  student_name: PersonName,
  requested_by_name: PersonName,
  decided_by_name: PersonName,
  cancelled_by_name: PersonName,
  called_by_name: PersonName,
  lesson_starts_at: Instant,
  lesson_ends_at: Instant,
  make_up: MakeUp.extend({ lesson_starts_at: Instant.nullable(), lesson_ends_at: Instant.nullable() }).nullable(),
  approval: z
    .object({
      charge_hours: Decimal.meta({
        description: 'Lesson hours charged if it is approved, by the policy in force; a decimal with two places',
      }),
    })
    .optional()
    .meta({ description: 'The effect of approval; only for supervisors and the lead teacher' }),
  quota: z
    .object({
      limit: z.int().nullable().meta({ description: 'Maximum lessons with leave in any 30 days; `null`: no limit' }),
      used: z.int().meta({
        description: 'Pending and approved leaves, including this one, in the fullest 30 days that contain this lesson',
      }),
    })
    .optional()
    .meta({ description: 'The quota of the student; only for supervisors and the lead teacher' }),
});
export type ListedLeave = z.output<typeof ListedLeave>;

/** A lesson for which a credit can be used. */
const MakeUpOption = ShownLesson.extend({
  /** Whether it belongs to the course of the missed lesson. */
  same_course: z.boolean(),
  /** Seats of class or room, whichever has fewer, and free seats, as lists of lessons show them; `null`: no limit. */
  capacity: z.int().nullable(),
  free: z.int().nullable(),
  charge_hours: Decimal.meta({
    description: 'Lesson hours charged for the make-up, by the policy in force; a decimal with two places',
  }),
});

/** Error codes of a leave request. */
export const LEAVE_REFUSALS = [
  'leave_exists',
  'leave_too_late',
  'leave_quota',
  'clazz_closed',
  'invalid_transition',
  'edit_window_over',
] as const satisfies readonly ProblemCode[];
export type LeaveRefusal = (typeof LEAVE_REFUSALS)[number];

/** The effect of a leave request for one lesson now, by the policy in force. */
export const LeaveQuote = z.object({
  allowed: z.boolean().meta({ description: 'Whether leave can be requested now' }),
  refusal: z
    .enum(LEAVE_REFUSALS)
    .nullable()
    .meta({ description: 'Error code of the refusal; `null` if leave can be requested' }),
  deadline: Instant.meta({ description: 'Deadline until which a request is in time' }),
  in_time: z.boolean(),
  at_once: z.boolean().meta({ description: 'Whether the policy approves the request at once; otherwise staff decide' }),
  charge_hours: Decimal.meta({ description: 'Lesson hours charged with approved leave, as a decimal with two places' }),
  absent_hours: Decimal.meta({
    description: 'Lesson hours charged for absence without leave, as a decimal with two places',
  }),
  quota: z.object({
    limit: z.int().nullable().meta({ description: 'Maximum lessons with leave in any 30 days; `null`: no limit' }),
    used: z.int().meta({
      description: 'Pending and approved leaves, including this one, in the fullest 30 days that contain this lesson',
    }),
  }),
  make_up: z
    .object({ expires_at: Instant })
    .nullable()
    .meta({ description: 'The make-up credit and its expiry, if the leave were approved now; `null`: none' }),
  policy_version: z.int(),
});
export type LeaveQuote = z.output<typeof LeaveQuote>;

/** Error codes of calls that change a leave, and with it the charge of a lesson. */
const CHANGE_ERRORS = [
  'invalid_transition',
  'clazz_closed',
  'insufficient_hours',
  'version_mismatch',
  'edit_window_over',
] as const;

const decision = (action: 'approve' | 'reject', summary: string) =>
  call({
    id: `clazz.leave.${action}`,
    http: `POST ${BASE}/{id}/${action}`,
    summary,
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z
      .strictObject({
        reason: optional(text(1_000)).meta({
          description:
            'Reason of the decision. Everyone who may read the leave sees it as `decision_reason`. Required of supervisors after the edit window',
        }),
      })
      .optional(),
    output: ListedLeave,
    errors: [...CHANGE_ERRORS, 'already_attended'],
  });

/** Leave and make-up lessons (rules, part 6). */
export const leaveCalls = {
  requestLeave: call({
    id: 'clazz.leave.request',
    http: `POST ${BASE}`,
    summary: 'Request leave. It is for one lesson, or for all lessons that begin in a time range',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    student_required: true,
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z
      .strictObject({
        /** Default: the caller. */
        student_id: optional(PersonIdInput),
        lesson_id: optional(ID),
        from: optional(InstantInput),
        to: optional(InstantInput),
        clazz_id: optional(ID),
        reason: text(1_000),
        called_at: optional(InstantInput).meta({
          description: 'Teachers of the class only: time of a phone call. Notice counts from then',
        }),
        called_by: optional(text(200)).meta({
          description: 'Person who called, up to 200 characters. Default: the student',
        }),
        override_reason: optional(text(1_000)).meta({
          description: 'Supervisors only: reason to accept leave beyond deadline or quota',
        }),
      })
      .check(
        rule(['lesson_id', 'from'], (body) => (body.lesson_id == null) !== (body.from == null), {
          path: 'lesson_id',
          message: 'is required without from and to, and must not be sent with them',
        }),
        rule(['from', 'to'], (body) => (body.from == null) === (body.to == null), {
          path: 'to',
          message: 'must be sent together with from',
        }),
        nonEmptyRange,
        rule(['lesson_id', 'clazz_id'], (body) => body.lesson_id == null || body.clazz_id == null, {
          path: 'clazz_id',
          message: 'must only be sent with from and to',
        }),
        rule(['called_at', 'called_by'], (body) => body.called_by == null || body.called_at != null, {
          path: 'called_at',
          message: 'is required with called_by',
        }),
      ),
    output: page(ListedLeave).partial({ next_cursor: true }),
    errors: LEAVE_REFUSALS,
  }),
  quoteLeave: call({
    id: 'clazz.leave.quote',
    http: `GET ${BASE}/quote`,
    summary:
      'Quote leave for a lesson. The response says what it costs and whether it can be requested. Stores nothing',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    student_required: true,
    writes: false,
    audited: true,
    query: {
      lesson_id: ID,
      student_id: PersonIdInput.optional().meta({ description: 'The student. Default: the caller' }),
    },
    output: LeaveQuote,
  }),
  listLeaves: call({
    id: 'clazz.leave.list',
    http: `GET ${BASE}`,
    summary: 'List leaves, newest first. Students see their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      student_id: commaSeparated(PersonIdInput).optional(),
      clazz_id: commaSeparated(ID).optional(),
      lesson_id: commaSeparated(ID).optional(),
      status: commaSeparated(z.enum(LEAVE_STATUSES)).optional(),
      from: InstantInput.optional().meta({ description: 'Leave for lessons that start at this instant or later' }),
      to: InstantInput.optional().meta({ description: 'Leave for lessons that start before this instant' }),
      ...pageQuery,
    },
    output: page(ListedLeave),
  }),
  getLeave: call({
    id: 'clazz.leave.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a leave. Students read their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: chosenChild,
    output: ListedLeave,
  }),
  approveLeave: decision('approve', 'Approve a leave. Marks and charges of a lesson already held are derived again'),
  rejectLeave: decision('reject', 'Reject a leave'),
  reopenLeave: call({
    id: 'clazz.leave.reopen',
    http: `POST ${BASE}/{id}/reopen`,
    summary:
      'Reopen the decision about a leave, until the lesson begins. A mark `leave` of an early roll call is withdrawn',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z
      .strictObject({
        reason: optional(text(1_000)).meta({ description: 'Reason to reopen it. It is in the audit log only' }),
      })
      .optional(),
    output: ListedLeave,
    errors: [
      'invalid_transition',
      'clazz_closed',
      'make_up_booked',
      'schedule_conflict',
      'leave_exists',
      'leave_quota',
      'version_mismatch',
    ],
  }),
  cancelLeave: call({
    id: 'clazz.leave.cancel',
    http: `POST ${BASE}/{id}/cancel`,
    summary: 'Cancel a leave. After roll call the mark becomes `absent`',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject({ reason: optional(text(1_000)), ...chosenChildInBody }).optional(),
    output: ListedLeave,
    errors: [...CHANGE_ERRORS, 'schedule_conflict'],
  }),
  bookMakeUp: call({
    id: 'clazz.leave.make_up',
    http: `POST ${BASE}/{id}/make-up`,
    summary:
      'Book a make-up lesson with the credit of a leave. The lesson must have a free seat, and the student none in it yet',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject({ lesson_id: ID, ...chosenChildInBody }),
    output: ListedLeave,
    errors: [
      'already_attending',
      'credit_unavailable',
      'clazz_full',
      'clazz_closed',
      'schedule_conflict',
      'invalid_transition',
      'version_mismatch',
    ],
  }),
  listMakeUpOptions: call({
    id: 'clazz.leave.make_up_options',
    http: `GET ${BASE}/{id}/make-up/options`,
    summary:
      'List lessons for which the credit can be used. The best come first: same course, soonest, most free seats',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: {
      from: InstantInput.optional().meta({ description: 'Lessons that start at this instant or later. Default: now' }),
      to: InstantInput.optional().meta({
        description: 'Lessons that start before this instant. The expiry of the credit also limits the list',
      }),
      ...chosenChild,
      ...pageQuery,
    },
    output: page(MakeUpOption),
    errors: ['credit_unavailable'],
  }),
  undoMakeUp: call({
    id: 'clazz.leave.undo_make_up',
    http: `DELETE ${BASE}/{id}/make-up`,
    summary: 'Undo the booking of a make-up lesson that has not begun. The credit returns',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject(chosenChildInBody).optional(),
    output: ListedLeave,
    errors: ['credit_unavailable', 'invalid_transition', 'version_mismatch'],
  }),
};
