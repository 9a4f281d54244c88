import { p, period, table } from '@teaching/kit';

/** When a student really belonged to a class: opened by becoming active, closed by suspension or the end. */
export const ENROLMENT_PERIOD = table('enrolment_period', {
  org_id: p.uuid().primary(),
  enrolment_id: p.uuid().primary(),
  clazz_id: p.uuid(),
  student_id: p.text(),
  during: period().primary(),
});
