import type { Daka } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

/** Check-ins, one for each student and day of a plan. */
export const DAKA = table('daka', {
  org_id: p.uuid().primary(),
  id: p.uuid(),
  jihua_id: p.uuid().primary(),
  student_id: p.text().primary(),
  local_date: p.date().primary(),
  content: p.json<NonNullable<Daka['content']>>().nullable(),
  backfilled: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});
