import { concurrentIndex, stepwise } from '@teaching/kit';

/** A partial index of lessons with an overridden clash. They are few, and the list reads no other lessons. */
export const keptClashes = stepwise(
  '132_kept_clashes',
  concurrentIndex('lesson_override', 'on lesson (org_id, starts_at, id) where override'),
);
