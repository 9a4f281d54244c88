import { concurrentIndex, stepwise } from '@teaching/kit';

/** A job looks for the waiting lists of all organizations. */
export const waitingStudents = stepwise(
  '136_waiting_students',
  concurrentIndex('enrolment_waiting', "on enrolment (org_id, clazz_id, seq) where status = 'waiting'"),
);
