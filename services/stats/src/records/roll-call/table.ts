import { instant, p, table } from '@teaching/kit';

/** When the first mark of a lesson was set, whatever became of that mark. */
export const ROLL_CALL = table('roll_call', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  lesson_id: p.uuid().primary(),
  taken_at: instant(),
});
