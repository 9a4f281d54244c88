import { p, table } from '@teaching/kit';

/** Who checks in on a plan. */
export const JIHUA_STUDENT = table('jihua_student', {
  org_id: p.uuid().primary(),
  jihua_id: p.uuid().primary(),
  student_id: p.text().primary(),
  /** The first day they are asked for; null: the plan's first. */
  since: p.date().nullable(),
});
