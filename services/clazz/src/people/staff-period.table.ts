import { TEACHING_ROLES } from '@teaching/contracts';
import { p, period, table } from '@teaching/kit';

/** Who taught a class and when. The first lead's period has no beginning: back-dated enrolments find their teacher. */
export const STAFF_PERIOD = table('staff_period', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  teacher_id: p.text(),
  role: p.enum(TEACHING_ROLES),
  during: period(),
});
