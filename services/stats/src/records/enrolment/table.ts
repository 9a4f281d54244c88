import { ENROLMENT_STATUSES } from '@teaching/contracts';
import { bigint, p, table } from '@teaching/kit';

/** Who belongs to which class; `during` is when they really do. */
export const ENROLMENT = table('enrolment', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(ENROLMENT_STATUSES),
  during: p.text().columnType('tstzmultirange'),
  seq: bigint(),
});
