import { hundredths, instant, p, table } from '@teaching/kit';
import type { StoredSubmission } from './submission.rules.ts';

/** Attempts at practices. Whether one is late, and whether it is being marked, follows from when it is read. */
export const SUBMISSION = table('submission', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  lianxi_id: p.uuid(),
  teacher_id: p.text(),
  student_id: p.text(),
  attempt: p.integer(),
  answers: p.json<StoredSubmission['answers']>(),
  submitted_at: instant(),
  status: p.text().$type<StoredSubmission['status']>(),
  claimed_by: p.text().nullable(),
  claim_expires_at: instant().nullable(),
  revision: p.integer(),
  score: hundredths().nullable(),
  points: p.json<StoredSubmission['points']>(),
  comment: p.text().nullable(),
  rubric: p.json<NonNullable<StoredSubmission['rubric']>>().nullable(),
  marked_by: p.text().nullable(),
  marked_at: instant().nullable(),
  released_at: instant().nullable(),
  version: p.integer(),
});
