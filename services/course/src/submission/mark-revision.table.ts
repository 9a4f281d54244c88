import type { MarkRevision } from '@teaching/contracts';
import { hundredths, instant, p, table } from '@teaching/kit';

/** Every mark a submission ever had. */
export const MARK_REVISION = table('mark_revision', {
  org_id: p.uuid().primary(),
  submission_id: p.uuid().primary(),
  revision: p.integer().primary(),
  score: hundredths(),
  points: p.json<NonNullable<MarkRevision['points']>>(),
  comment: p.text().nullable(),
  rubric: p.json<NonNullable<MarkRevision['rubric']>>().nullable(),
  reason: p.text().nullable(),
  marked_by: p.text().nullable(),
  marked_at: instant(),
});
