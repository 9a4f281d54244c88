import { concurrentIndex, stepwise } from '@teaching/kit';

/** Few lessons clash because somebody wanted it: they are found without looking at the others. */
export const keptClashes = stepwise(
  '132_kept_clashes',
  concurrentIndex('lesson_override', 'on lesson (org_id, starts_at, id) where override'),
);
