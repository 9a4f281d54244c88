import { MARKS } from '@teaching/contracts';
import { hundredths, instant, p, table } from '@teaching/kit';

/** A mark is the newest revision; none is ever changed, and the numbers have no gap. */
export const MARK_REVISION = table('mark_revision', {
  org_id: p.uuid().primary(),
  lesson_id: p.uuid().primary(),
  student_id: p.text().primary(),
  revision: p.integer().primary(),
  previous: p.integer().nullable().hidden().persist(false),
  /** Null: the mark no longer counts, because the lesson was cancelled or the student is not listed. */
  mark: p.enum(MARKS).nullable(),
  note: p.text().nullable(),
  late_minutes: p.integer().nullable(),
  /** What the charge was derived from: the line of the policy, and the lesson's hours. */
  charge_rule: p.text().nullable(),
  lesson_hours: hundredths(),
  charged_hours: hundredths(),
  policy_version: p.integer(),
  marked_by: p.text(),
  marked_at: instant(),
  reason: p.text().nullable(),
});
