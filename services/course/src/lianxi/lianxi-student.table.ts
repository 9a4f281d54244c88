import { p, table } from '@teaching/kit';

/** The students a practice is assigned to one by one. */
export const LIANXI_STUDENT = table('lianxi_student', {
  org_id: p.uuid().primary(),
  lianxi_id: p.uuid().primary(),
  student_id: p.text().primary(),
});
