import { p, table } from '@teaching/kit';

/** Who stands for whom: both are in the directory, and leave it with their links. */
export const GUARDIAN = table('guardian', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  user_id: p.text().primary(),
  relation: p.text().nullable(),
  /** May see what was paid. */
  money: p.boolean(),
  /** As the office listed them. */
  position: p.integer(),
});
