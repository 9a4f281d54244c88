import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { commaSeparated, page, pageQuery } from '../page.ts';
import { eachOnce, otherThanPath } from '../rules.ts';
import {
  ALL_ROLES,
  ID,
  Instant,
  InstantInput,
  optional,
  PersonId,
  PersonIdInput,
  PersonName,
  STAFF,
} from '../scalars.ts';
import { Reason } from './clazz.calls.ts';
import { ENROLMENT_STATUSES, ShownEnrolment, TEACHING_ROLES } from './clazz.schema.ts';

const BASE = '/api/v1/clazz';
const one = { id: ID, student_id: PersonIdInput };
const body = z.strictObject({ reason: optional(Reason) }).optional();

/** A make-up booking that could not be restored because it no longer fits. */
export const BookingNotRestored = z.object({
  leave_id: ID,
  student_id: PersonId,
  student_name: PersonName,
  /** The booked lesson. */
  lesson_id: ID,
  starts_at: Instant,
  ends_at: Instant,
  /** Error code of the obstacle. */
  reason: z.string(),
});
export type BookingNotRestored = z.infer<typeof BookingNotRestored>;

export const enrolmentCalls = {
  enrolStudents: call({
    id: 'clazz.enrolment.enrol',
    http: `POST ${BASE}/{id}/student`,
    summary:
      'Enrol students, all or none. With `waitlist`, students without a free seat join the waiting list in order. Waiting students get free seats first',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    status: 201,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      student_ids: z.array(PersonIdInput).min(1).max(500).check(eachOnce),
      since: optional(InstantInput),
      waitlist: optional(z.boolean()),
      /** Required if `since` changes charges of a lesson whose edit window is over. */
      reason: optional(Reason),
    }),
    output: z.object({ items: z.array(ShownEnrolment) }),
    errors: [
      'clazz_closed',
      'clazz_full',
      'room_too_small',
      'duplicate',
      'schedule_conflict',
      'edit_window_over',
      'insufficient_hours',
    ],
  }),
  listEnrolments: call({
    id: 'clazz.enrolment.list',
    http: `GET ${BASE}/{id}/student`,
    summary: 'List the enrolments of a class. They are in order of creation and include ended ones',
    roles: STAFF,
    access: 'all',
    writes: false,
    audited: true,
    path: { id: ID },
    query: { status: commaSeparated(z.enum(ENROLMENT_STATUSES)).optional(), ...pageQuery },
    output: page(ShownEnrolment),
  }),
  suspendEnrolment: call({
    id: 'clazz.enrolment.suspend',
    http: `POST ${BASE}/{id}/student/{student_id}/suspend`,
    summary: 'Suspend an enrolment. The student keeps the seat and is not listed at roll call',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: one,
    body,
    output: ShownEnrolment,
    errors: ['clazz_closed', 'invalid_transition'],
  }),
  resumeEnrolment: call({
    id: 'clazz.enrolment.resume',
    http: `POST ${BASE}/{id}/student/{student_id}/resume`,
    summary: 'Resume a suspended enrolment and restore leave and bookings. `not_restored` names the others',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: one,
    body,
    output: ShownEnrolment.extend({ not_restored: z.array(BookingNotRestored) }),
    errors: ['clazz_closed', 'invalid_transition', 'schedule_conflict'],
  }),
  withdrawEnrolment: call({
    id: 'clazz.enrolment.withdraw',
    http: `POST ${BASE}/{id}/student/{student_id}/withdraw`,
    summary: 'Withdraw a student. The free seat goes to the first waiting student',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: one,
    body,
    output: ShownEnrolment,
    errors: ['clazz_closed', 'invalid_transition'],
  }),
  transferEnrolment: call({
    id: 'clazz.enrolment.transfer',
    http: `POST ${BASE}/{id}/student/{student_id}/transfer`,
    summary:
      'Transfer a student to another class. Waiting students of that class get free seats first. The response contains both enrolments',
    roles: STAFF,
    access: { TEACHER: 'lead' },
    writes: true,
    path: one,
    body: z.strictObject({ to_clazz_id: ID, reason: optional(Reason) }),
    input_rules: [otherThanPath('id', ['to_clazz_id'], 'is the same class')],
    output: ShownEnrolment.extend({ from: ShownEnrolment }),
    errors: ['clazz_closed', 'clazz_full', 'room_too_small', 'duplicate', 'invalid_transition', 'schedule_conflict'],
  }),
};

export const Relation = z.object({
  clazz_id: ID,
  teacher_id: PersonId,
  student_id: PersonId,
  role: z.enum(TEACHING_ROLES),
  since: Instant,
  until: Instant.nullable(),
});
export type Relation = z.infer<typeof Relation>;
const ShownRelation = Relation.extend({
  clazz_name: z.string(),
  teacher_name: PersonName,
  student_name: PersonName,
});
const at = InstantInput.optional().meta({ description: 'Relations at this instant. Default: now' });

export const relationCalls = {
  listMyStudents: call({
    id: 'clazz.relation.my_students',
    http: `GET ${BASE}/relation/my-students`,
    summary: 'List the students of the calling teacher. Supervisors may name a teacher by `teacher_id`',
    roles: STAFF,
    access: { TEACHER: 'self' },
    writes: false,
    audited: true,
    query: { at, teacher_id: commaSeparated(PersonIdInput).optional(), ...pageQuery },
    output: page(ShownRelation),
  }),
  listMyTeachers: call({
    id: 'clazz.relation.my_teachers',
    http: `GET ${BASE}/relation/my-teachers`,
    summary: 'List the teachers of the calling student. Staff name the student by `student_id`',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    query: { at, student_id: commaSeparated(PersonIdInput).optional(), ...pageQuery },
    output: page(ShownRelation),
  }),
};
