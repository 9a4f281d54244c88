import { Enrolment, ENROLMENT_STATUSES } from '@teaching/contracts';
import { bigint, instant, p, table } from '@teaching/kit';

export const ENROLMENT = table('enrolment', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(ENROLMENT_STATUSES),
  since: instant(),
  until: instant().nullable(),
  created_at: instant(),
  /** Order on the waiting list. */
  seq: bigint().persist(false),
});

/** An enrolment as it goes over the wire. */
export const LISTED = ENROLMENT.wire(Enrolment);
