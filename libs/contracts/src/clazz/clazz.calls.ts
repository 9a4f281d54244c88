import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { chosenChild } from '../child.ts';
import { keywordQuery, page, pageQuery, several, sortQuery } from '../page.ts';
import { ALL_ROLES, ID, Instant, optional, PersonId, PersonName, STAFF, text } from '../scalars.ts';
import { CLAZZ_STATUSES, ClazzFields, Conflict, ShownClazz, ShownEnrolment } from './clazz.schema.ts';

const BASE = '/api/v1/clazz';
/** What becomes of the lessons of a former lead teacher. */
const HAND_OVERS = ['move', 'keep'] as const;
const SORTS = ['name', 'starts_on', 'created_at', 'updated_at'] as const;

/** Why something was done; optional where the rules do not ask for it. */
export const Reason = text(1_000);

/** Said by who cancels lessons, one or with their class. */
export const cancelling = {
  reason: optional(Reason),
  reason_public: optional(z.boolean()).meta({
    description: 'Students see why their lessons were cancelled; by default they see only that they were',
  }),
};

/** What keeps a class from being completed. */
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

/** What reopening could not bring back: a lesson, a booking (`leave_id`) of the lesson named, or a student who has to be there. */
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
    description:
      'The problem code of what is in the way of a booking, a student or a lesson; of a lesson `not_found` says that its teacher may not be named any more',
  }),
});

export const clazzCalls = {
  createClazz: call({
    id: 'clazz.clazz.create',
    http: `POST ${BASE}`,
    summary: 'Create a class as a draft, or at once with its students and active: all of it or nothing',
    who: ['SUPERVISOR'],
    writes: true,
    status: 201,
    max_body: LARGEST_BODY,
    body: z.strictObject({
      ...ClazzFields.create,
      student_ids: optional(z.array(PersonId).max(500)).meta({ description: 'Enrolled from now on, in this order' }),
      waitlist: optional(z.boolean()),
      activate: optional(z.boolean()).meta({ description: 'draft → active, once everybody is enrolled' }),
    }),
    output: ShownClazz.extend({
      enrolments: z
        .array(ShownEnrolment)
        .optional()
        .meta({ description: 'Who was enrolled or waits, in the order asked for; left out when nobody was named' }),
    }),
    errors: ['clazz_full'],
  }),
  listClazzes: call({
    id: 'clazz.clazz.list',
    http: `GET ${BASE}`,
    summary: 'Classes of the org; students see those they are or were in',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: {
      ...keywordQuery,
      status: several(z.enum(CLAZZ_STATUSES)).optional(),
      teacher_id: several(PersonId).optional().meta({ description: 'Their lead or an assistant' }),
      student_id: several(PersonId).optional().meta({
        description: 'Classes that they are or were in; students ask for themselves only',
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
    summary: 'Read a class; students those they are or were in',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: 'member' },
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
      'Change a class; more capacity promotes waiting students, another lead teacher takes over the lessons still to come',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z.strictObject({
      ...ClazzFields.patch,
      lessons: optional(z.enum(HAND_OVERS)).meta({
        description:
          'With another lead teacher: `move` (default) gives them the scheduled lessons of the former lead that have not begun, all or none; `keep` leaves those where they are',
      }),
    }),
    output: ShownClazz,
    errors: ['clazz_closed', 'capacity_below_enrolled', 'schedule_conflict', 'version_mismatch'],
  }),
  deleteClazz: call({
    id: 'clazz.clazz.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a draft; its audit trail stays readable for supervisors',
    who: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['invalid_transition', 'in_use', 'version_mismatch'],
  }),
  activateClazz: call({
    id: 'clazz.clazz.activate',
    http: `POST ${BASE}/{id}/activate`,
    summary: 'draft → active',
    who: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    output: ShownClazz,
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  cancelClazz: call({
    id: 'clazz.clazz.cancel',
    http: `POST ${BASE}/{id}/cancel`,
    summary: 'draft or active → cancelled; future lessons are cancelled, enrolments end',
    who: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject(cancelling).optional(),
    output: ShownClazz,
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  previewClazzCompletion: call({
    id: 'clazz.clazz.completion_preview',
    http: `GET ${BASE}/{id}/completion-preview`,
    summary: 'What stands in the way of completion, and what it would do',
    who: STAFF,
    whose: { TEACHER: 'lead' },
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
    summary: 'active → completed; `force` with a reason passes over blockers',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    body: z
      .strictObject({ force: optional(z.boolean()), ...cancelling })
      .refine((body) => body.force !== true || body.reason != null, {
        path: ['reason'],
        message: 'is required with force',
      })
      .optional(),
    output: ShownClazz,
    errors: ['invalid_transition', 'completion_blocked', 'version_mismatch'],
  }),
  reopenClazz: call({
    id: 'clazz.clazz.reopen',
    http: `POST ${BASE}/{id}/reopen`,
    summary: 'completed → active; restores what completing ended and says what it could not',
    who: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject({ reason: Reason }),
    output: ShownClazz.extend({ restored_lessons: z.array(ID), not_restored: z.array(NotRestored) }),
    errors: ['invalid_transition', 'version_mismatch'],
  }),
  putClazzAssistants: call({
    id: 'clazz.clazz.set_assistants',
    http: `PUT ${BASE}/{id}/assistants`,
    summary: 'Make the assistants exactly this list',
    who: STAFF,
    whose: { TEACHER: 'lead' },
    writes: true,
    path: { id: ID },
    max_body: LONG_BODY,
    body: z.strictObject({ teacher_ids: z.array(PersonId).max(50) }),
    output: ShownClazz,
    errors: ['clazz_closed', 'version_mismatch'],
  }),
};
