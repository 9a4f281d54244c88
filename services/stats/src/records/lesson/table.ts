import { LESSON_STATUSES } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';

/** Lessons as they are now. A deleted one stays, so that nothing older brings it back. */
export const LESSON = table('lesson', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  teacher_id: p.text(),
  starts_at: instant(),
  ends_at: instant(),
  hours: hundredths(),
  status: p.enum([...LESSON_STATUSES, 'deleted']),
  version: p.integer(),
  seq: bigint(),
});
