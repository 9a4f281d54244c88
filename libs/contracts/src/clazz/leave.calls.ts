import { z } from 'zod';
import { call, LONG_BODY } from '../call.ts';
import { chosenChild, chosenChildInBody } from '../child.ts';
import type { ProblemCode } from '../problem.ts';
import { page, pageQuery, several } from '../page.ts';
import {
  ALL_ROLES,
  Decimal,
  ID,
  Instant,
  InstantInput,
  optional,
  PersonId,
  PersonName,
  STAFF,
  text,
} from '../scalars.ts';
import { LEAVE_STATUSES, ShownLesson } from './clazz.schema.ts';

const BASE = '/api/v1/clazz/leave';

/** What a credit is by itself; one that is available past its time shows as expired. */
export const STORED_CREDIT_STATUSES = ['available', 'used', 'withdrawn'] as const;
const CREDIT_STATUSES = [...STORED_CREDIT_STATUSES, 'expired'] as const;

/** A credit from an approved leave, good for one lesson that makes up for the missed one. */
const MakeUp = z.object({
  status: z.enum(CREDIT_STATUSES),
  expires_at: Instant,
  /** The lesson it was used for. */
  lesson_id: z.string().nullable(),
});

/** Leave of one student from one lesson. */
export const Leave = z.object({
  id: ID,
  clazz_id: ID,
  lesson_id: ID,
  student_id: PersonId,
  status: z.enum(LEAVE_STATUSES),
  /** Whether the request came before the deadline in force. */
  in_time: z.boolean(),
  reason: z.string(),
  requested_by: PersonId,
  requested_at: Instant,
  /** Nobody where policy said yes by itself (`leave.approval`). */
  decided_by: z.string().nullable(),
  decided_at: Instant.nullable(),
  /** Who took it back; who decided stays. */
  cancelled_by: z.string().nullable(),
  cancelled_at: Instant.nullable(),
  /** When somebody called about it, as staff recorded, and who: notice was given then. */
  called_at: Instant.nullable(),
  called_by: z.string().nullable(),
  /** Why a supervisor took it beyond deadline or quota. */
  override_reason: z.string().nullable(),
  policy_version: z.int(),
  make_up: MakeUp.nullable(),
  version: z.int(),
});
export type Leave = z.output<typeof Leave>;

/** A leave as it is answered: with names and its lesson; who decides about it is told what that means. */
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
    .object({ charge_hours: Decimal.meta({ description: 'Hours that approving it charges, by the policy in force' }) })
    .optional()
    .meta({ description: 'To who may decide: supervisors and the lead teacher' }),
  quota: z
    .object({
      limit: z.int().nullable().meta({ description: 'Lessons with leave in any 30 days; `null` is without limit' }),
      used: z.int().meta({
        description: 'Pending and approved ones in the fullest 30 days that hold this lesson, which counts itself',
      }),
    })
    .optional()
    .meta({ description: 'To who may decide' }),
});
export type ListedLeave = z.output<typeof ListedLeave>;

/** A lesson that a credit can be used for. */
const MakeUpOption = ShownLesson.extend({
  /** Of the course whose lesson was missed. */
  same_course: z.boolean(),
  /** Seats of the class or its room, whichever has fewer, and those that are free at this lesson; `null` is without limit. */
  capacity: z.int().nullable(),
  free: z.int().nullable(),
});

/** What may stand in the way of asking for leave from a lesson. */
export const LEAVE_REFUSALS = [
  'leave_exists',
  'leave_too_late',
  'leave_quota',
  'clazz_closed',
  'invalid_transition',
  'edit_window_over',
] as const satisfies readonly ProblemCode[];
export type LeaveRefusal = (typeof LEAVE_REFUSALS)[number];

/** What leave from one lesson would mean if it were asked for now, by the policy in force. */
export const LeaveQuote = z.object({
  allowed: z.boolean().meta({ description: 'Whether it may be asked for now' }),
  refusal: z
    .enum(LEAVE_REFUSALS)
    .nullable()
    .meta({ description: 'The code of the problem with which it would be refused' }),
  deadline: Instant.meta({ description: 'Until when it is in time' }),
  in_time: z.boolean(),
  at_once: z.boolean().meta({ description: 'Whether policy approves it as it is asked for; else staff decide' }),
  charge_hours: Decimal.meta({ description: 'Hours that the lesson costs once the leave is approved' }),
  absent_hours: Decimal.meta({ description: 'Hours that it costs to stay away without leave' }),
  quota: z.object({
    limit: z.int().nullable().meta({ description: 'Lessons with leave in any 30 days; `null` is without limit' }),
    used: z.int().meta({
      description: 'Pending and approved ones in the fullest 30 days that hold this lesson, which counts itself',
    }),
  }),
  make_up: z
    .object({ expires_at: Instant })
    .nullable()
    .meta({ description: 'The credit to make up for it, and its end, if it is approved at once; `null`: none' }),
  policy_version: z.int(),
});
export type LeaveQuote = z.output<typeof LeaveQuote>;

/** What may stand in the way when leave changes, and with it what a lesson costs. */
const OF_CHANGE = [
  'invalid_transition',
  'clazz_closed',
  'insufficient_hours',
  'version_mismatch',
  'edit_window_over',
] as const;

const decision = (what: 'approve' | 'reject', summary: string) =>
  ({
    id: `clazz.leave.${what}`,
    http: `POST ${BASE}/{id}/${what}`,
    summary,
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z.strictObject({ reason: optional(text(1_000)) }).optional(),
    output: ListedLeave,
    errors: [...OF_CHANGE, 'already_attended'],
  }) as const;

/** Leave and making up: rules, part 6. */
export const leaveCalls = {
  requestLeave: call({
    id: 'clazz.leave.request',
    http: `POST ${BASE}`,
    summary: 'Ask for leave from one lesson, or from all lessons that begin in a range',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: true,
    status: 201,
    max_body: LONG_BODY,
    body: z
      .strictObject({
        /** By default the caller. */
        student_id: optional(PersonId),
        lesson_id: optional(ID),
        from: optional(InstantInput),
        to: optional(InstantInput),
        clazz_id: optional(ID),
        reason: text(1_000),
        called_at: optional(InstantInput).meta({
          description: 'The teachers of the class: when somebody called; notice was given then',
        }),
        called_by: optional(text(200)).meta({ description: 'Who called; by default the student' }),
        override_reason: optional(text(1_000)).meta({
          description: 'SUPERVISOR: why it is taken beyond deadline or quota',
        }),
      })
      .refine((body) => (body.lesson_id == null) !== (body.from == null), {
        path: ['lesson_id'],
        message: 'is needed, or from and to',
      })
      .refine((body) => (body.from == null) === (body.to == null), { path: ['to'], message: 'goes together with from' })
      .refine((body) => body.from == null || body.to == null || body.from < body.to, {
        path: ['to'],
        message: 'must be after from',
      })
      .refine((body) => body.lesson_id == null || body.clazz_id == null, {
        path: ['clazz_id'],
        message: 'goes with a range only',
      }),
    output: page(ListedLeave).partial({ next_cursor: true }),
    errors: LEAVE_REFUSALS,
  }),
  quoteLeave: call({
    id: 'clazz.leave.quote',
    http: `GET ${BASE}/quote`,
    summary:
      'What leave from a lesson would cost, and whether it may be asked for: by the rules of asking, without doing it',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      lesson_id: ID,
      student_id: PersonId.optional().meta({ description: 'By default the caller' }),
    },
    output: LeaveQuote,
  }),
  listLeaves: call({
    id: 'clazz.leave.list',
    http: `GET ${BASE}`,
    summary: 'Leave requests, newest first; students see their own',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      student_id: several(PersonId).optional(),
      clazz_id: several(ID).optional(),
      lesson_id: several(ID).optional(),
      status: several(z.enum(LEAVE_STATUSES)).optional(),
      from: InstantInput.optional().meta({ description: 'From lessons that start at this or later' }),
      to: InstantInput.optional().meta({ description: 'From lessons that start before this' }),
      ...pageQuery,
    },
    output: page(ListedLeave),
  }),
  getLeave: call({
    id: 'clazz.leave.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read one leave; students their own',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: chosenChild,
    output: ListedLeave,
  }),
  approveLeave: call(decision('approve', 'Approve; a roll call already taken is re-derived')),
  rejectLeave: call(decision('reject', 'Reject')),
  cancelLeave: call({
    id: 'clazz.leave.cancel',
    http: `POST ${BASE}/{id}/cancel`,
    summary: 'Take a leave back; after roll call the mark becomes absent',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject({ reason: optional(text(1_000)), ...chosenChildInBody }).optional(),
    output: ListedLeave,
    errors: [...OF_CHANGE, 'schedule_conflict'],
  }),
  bookMakeUp: call({
    id: 'clazz.leave.make_up',
    http: `POST ${BASE}/{id}/make-up`,
    summary: 'Use the credit for a lesson: one of the own, or one of another class with a free seat',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject({ lesson_id: ID, ...chosenChildInBody }),
    output: ListedLeave,
    errors: [
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
    summary: 'Lessons that the credit can be used for, best first: same course, soonest, most free seats',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: {
      from: InstantInput.optional().meta({ description: 'Lessons that start at this or later; now by default' }),
      to: InstantInput.optional().meta({
        description: 'Lessons that start before this; the credit ends the list anyway',
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
    summary: 'Undo the booking of a lesson that has not begun; the credit returns',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'any',
    writes: true,
    path: { id: ID },
    body: z.strictObject(chosenChildInBody).optional(),
    output: ListedLeave,
    errors: ['credit_unavailable', 'invalid_transition', 'version_mismatch'],
  }),
};
