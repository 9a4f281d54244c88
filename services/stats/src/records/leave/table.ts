import { LEAVE_STATUSES } from '@teaching/contracts';
import { bigint, instant, p, table } from '@teaching/kit';

export const LEAVE = table('leave', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  lesson_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(LEAVE_STATUSES),
  in_time: p.boolean(),
  requested_at: instant(),
  decided_by: p.text().nullable(),
  decided_at: instant().nullable(),
  seq: bigint(),
  make_up_lesson_id: p.uuid().nullable(),
});
