import { Enrolment, ENROLMENT_STATUSES, TEACHING_ROLES } from '@teaching/contracts';
import { notNull, bigint, instant, p, period, table } from '@teaching/kit';

export const ENROLMENT = table('enrolment', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(ENROLMENT_STATUSES),
  since: instant(),
  until: instant().nullable(),
  created_at: instant(),
  /** When the membership ended last. Null also for memberships that 0.2.0 ended. */
  left_at: instant().nullable(),
  /** The order of the waiting list. */
  seq: bigint().persist(false),
});

/** An enrolment as the contract defines it. */
export const WIRE_ENROLMENT = ENROLMENT.contractColumns(Enrolment);

/**
 * The teachers of a class and their periods. The period of the first lead has no beginning, so that back-dated
 * enrolments have a teacher.
 */
export const STAFF_PERIOD = table('staff_period', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  teacher_id: p.text(),
  role: p.enum(TEACHING_ROLES),
  during: period(),
});

/** A teacher and a student while both belong to a class: the columns of the view `relation`. */
export const RELATION = {
  clazz_id: notNull(p.uuid()),
  teacher_id: notNull(p.text()),
  student_id: notNull(p.text()),
  role: notNull(p.enum(TEACHING_ROLES)),
  since: notNull(instant()),
  until: instant().nullable(),
};
/** The key of the view. */
export const RELATION_KEY = { id: notNull(p.text()) };

export const columnList = (shape: object): string => Object.keys(shape).join(', ');
