import { MARKS } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';

/** The newest mark of each student at each lesson; where and when it counts is its lesson's, and stands beside it. */
export const MARK = table('mark', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  lesson_id: p.uuid().primary(),
  student_id: p.text().primary(),
  mark: p.enum(MARKS).nullable(),
  marked_by: p.text(),
  marked_at: instant(),
  charged_hours: hundredths(),
  revision: p.integer(),
  seq: bigint(),
  clazz_id: p.uuid(),
  at: instant(),
  counts: p.boolean(),
});
