import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { chosenChild } from '../child.ts';
import { keywordQuery, page, pageQuery, commaSeparated, sortQuery } from '../page.ts';
import { ALL_ROLES, ID, Instant, optional, PersonId, PersonIdInput, PersonName, STAFF, text } from '../scalars.ts';
import { daysInOrder, eachOnce, rule } from '../rules.ts';
import { CLAZZ_STATUSES, ClazzFields, Conflict, ShownClazz, ShownEnrolment } from './clazz.schema.ts';

const BASE = '/api/v1/clazz';
/** What happens to the future lessons of a former lead teacher. */
const HAND_OVERS = ['move', 'keep'] as const;
const SORTS = ['name', 'starts_on', 'created_at', 'updated_at'] as const;

/** The reason of an action. */
export const Reason = text(1_000);

/** Body members of calls that cancel lessons. */
export const cancellationFields = {
  reason: optional(Reason),
  reason_public: optional(z.boolean()).meta({
    description: 'Whether students see the reason. Default false: students see only that the lesson is cancelled',
  }),
};

/** Kinds of blockers, which prevent the completion of a class. */
export const BLOCKERS = ['roll_call_missing', 'leave_pending'] as const;
export const Blocker = z.object({
  kind: z.enum(BLOCKERS),
  lesson_id: ID,
  leave_id: z.string().nullable(),
  student_id: z.string().nullable(),
  student_name: PersonName,
  starts_at: Instant,
  ends_at: Instant,
});
export type Blocker = z.infer<typeof Blocker>;

/** What reopening could not restore: a lesson, a booking (`leave_id`) of the lesson, or a student of the lesson. */
const NotRestored = z.object({
  lesson_id: ID,
  starts_at: Instant,
  ends_at: Instant,
  why: z.enum(['past', 'clash']),
  conflicts: z.array(Conflict),
  leave_id: ID.optional(),
  student_id: PersonId.optional(),
  student_name: PersonName.optional(),
  reason: z.string().optional().meta({
    description: 'Error code of the obstacle. `not_found` for a lesson: its teacher can no longer be named',
  }),
});

export const clazzCalls = {
  createClazz: call({
    id: 'clazz.clazz.create',
    http: `POST ${BASE}`,
    summary:
      'Create a class. It is a draft unless `activate` is true. With `student_ids` students are enrolled, all or none',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 201,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({
        ...ClazzFields.create,
        student_ids: optional(z.array(PersonIdInput).max(500).check(eachOnce)).meta({
          description: 'Students to enrol from now on, in this order, at most 500',
        }),
        waitlist: optional(z.boolean()),
        activate: optional(z.boolean()).meta({
          description: 'Whether to activate the class after enrolling. Default false',
        }),
      })
      .check(daysInOrder),
    output: ShownClazz.extend({
      enrolments: z
        .array(ShownEnrolment)
        .optional()
        .meta({ description: 'Enrolments in the order of `student_ids`; absent without `student_ids`' }),
    }),
    errors: ['clazz_full'],
  }),
  listClazzes: call({
    id: 'clazz.clazz.list',
    http: `GET ${BASE}`,
    summary: 'List classes. Students see the classes that they are or were in',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      ...keywordQuery,
      status: commaSeparated(z.enum(CLAZZ_STATUSES)).optional(),
      teacher_id: commaSeparated(PersonIdInput)
        .optional()
        .meta({ description: 'Classes with this lead teacher or assistant' }),
      student_id: commaSeparated(PersonIdInput).optional().meta({
        description: 'Classes that these students are or were in. Students may only name themselves',
      }),
      ...ClazzFields.filters,
      ...sortQuery(SORTS, '-created_at'),
      ...pageQuery,
    },
    output: page(ShownClazz),
  }),
  getClazz: call({
    id: 'clazz.clazz.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a class. Students read the classes that they are or were in',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    audited: true,
    path: { id: ID },
    query: chosenChild,
    output: ShownClazz,
  }),
  updateClazz: call({
    id: 'clazz.clazz.update',
    http: `PATCH ${BASE}/{id}`,
    summary:
      'Update a class. A higher capacity promotes waiting students. A new lead teacher takes over the future lessons',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z.strictObject({
      ...ClazzFields.patch,
      lessons: optional(z.enum(HAND_OVERS)).meta({
        description:
          'With a new lead teacher: `move` (default) moves the future lessons of the former lead teacher, all or none; `keep` does not change lessons',
      }),
    }),
    output: ShownClazz,
    errors: ['clazz_closed', 'capacity_below_enrolled', 'schedule_conflict', 'version_mismatch'],
  }),
  deleteClazz: call({
    id: 'clazz.clazz.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a draft class. Supervisors can still read its audit log',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['invalid_transition', 'in_use', 'version_mismatch'],
  }),
  activateClazz: call({
    id: 'clazz.clazz.activate',
    http: `POST ${BASE}/{id}/activate`,
    summary: 'Activate a draft class',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    output: ShownClazz,
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  cancelClazz: call({
    id: 'clazz.clazz.cancel',
    http: `POST ${BASE}/{id}/cancel`,
    summary: 'Cancel a draft or active class. Future lessons are cancelled and enrolments end',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject(cancellationFields).optional(),
    output: ShownClazz,
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  previewClazzCompletion: call({
    id: 'clazz.clazz.completion_preview',
    http: `GET ${BASE}/{id}/completion-preview`,
    summary: 'Preview the completion of a class: its blockers and effects',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: false,
    audited: true,
    path: { id: ID },
    output: z.object({
      clazz_id: ID,
      clazz_name: z.string(),
      can_complete: z.boolean(),
      blockers: z.array(Blocker),
      lessons_to_cancel: z.array(z.object({ lesson_id: ID, starts_at: Instant, ends_at: Instant })),
      enrolments_to_end: z.array(z.object({ student_id: PersonId, student_name: PersonName, status: z.string() })),
      relations_to_end: z.array(
        z.object({
          teacher_id: PersonId,
          teacher_name: PersonName,
          student_id: PersonId,
          student_name: PersonName,
          role: z.string(),
        }),
      ),
    }),
    errors: ['invalid_transition'],
  }),
  completeClazz: call({
    id: 'clazz.clazz.complete',
    http: `POST ${BASE}/{id}/complete`,
    summary: 'Complete an active class. `force` with a reason ignores blockers',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z
      .strictObject({ force: optional(z.boolean()), ...cancellationFields })
      .check(
        rule(['force', 'reason'], (body) => body.force !== true || body.reason != null, {
          path: 'reason',
          message: 'is required with force',
        }),
      )
      .optional(),
    output: ShownClazz,
    errors: ['invalid_transition', 'completion_blocked', 'version_mismatch'],
  }),
  reopenClazz: call({
    id: 'clazz.clazz.reopen',
    http: `POST ${BASE}/{id}/reopen`,
    summary: 'Reopen a completed class and restore what completion ended. `not_restored` names the rest',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject({ reason: Reason }),
    output: ShownClazz.extend({ restored_lessons: z.array(ID), not_restored: z.array(NotRestored) }),
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  putClazzAssistants: call({
    id: 'clazz.clazz.set_assistants',
    http: `PUT ${BASE}/{id}/assistants`,
    summary: 'Replace the assistants of a class',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ teacher_ids: z.array(PersonIdInput).max(50).check(eachOnce) }),
    output: ShownClazz,
    errors: ['clazz_closed', 'version_mismatch'],
  }),
};
