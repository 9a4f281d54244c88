import { STORED_CREDIT_STATUSES } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

/** One credit for each approved leave; used for one lesson at a time. */
export const MAKE_UP_CREDIT = table('make_up_credit', {
  org_id: p.uuid().primary(),
  leave_id: p.uuid().primary(),
  student_id: p.text(),
  status: p.enum(STORED_CREDIT_STATUSES),
  expires_at: instant(),
  /** The lesson it is used for. */
  lesson_id: p.uuid().nullable(),
  /** The lesson it was booked for until that lesson or the leave ended, and when: it returns with them. */
  ended_lesson_id: p.uuid().nullable(),
  ended_at: instant().nullable(),
});
