import type { StoredSubmission } from '../src/lianxi/submission.rules.ts';

/** A stored submission of the student ann, by default submitted and not yet marked. */
export const storedSubmission = (fields: Partial<StoredSubmission> = {}): StoredSubmission => ({
  id: 's',
  lianxi_id: 'l',
  student_id: 'ann',
  attempt: 1,
  answers: {},
  submitted_at: '2026-03-01T10:00:00.000Z',
  due_at: null,
  status: 'submitted',
  claimed_by: null,
  claim_expires_at: null,
  revision: 0,
  score: null,
  points: {},
  comment: null,
  rubric: null,
  marked_by: null,
  marked_at: null,
  released_at: null,
  version: 1,
  ...fields,
});
