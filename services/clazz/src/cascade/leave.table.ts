import { LEAVE_STATUSES } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

/** Leave of one student from one lesson. */
export const LEAVE = table('leave', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  lesson_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(LEAVE_STATUSES),
  /** The status it had when its lesson was cancelled or its student left; it returns with them. */
  ended_from: p.enum(['pending', 'approved']).nullable(),
  in_time: p.boolean(),
  reason: p.text(),
  requested_by: p.text(),
  requested_at: instant(),
  decided_by: p.text().nullable(),
  decided_at: instant().nullable(),
  cancelled_by: p.text().nullable(),
  cancelled_at: instant().nullable(),
  called_at: instant().nullable(),
  called_by: p.text().nullable(),
  override_reason: p.text().nullable(),
  policy_version: p.integer(),
  version: p.integer(),
});
