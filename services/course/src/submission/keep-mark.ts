import type { Session } from '@teaching/kit';
import { MARK_REVISION } from './mark-revision.table.ts';
import type { StoredSubmission } from './submission.rules.ts';

/** Keeps the mark that a submission has now as a revision that stays; before the first mark there is nothing to keep. */
export const keepMark = (session: Session, it: StoredSubmission, reason: string | null): void => {
  const { id: submission_id, answers: _large, score, marked_at, ...mark } = it;
  if (score === null || marked_at === null) return;
  session.insert(MARK_REVISION, { org_id: session.org_id, submission_id, score, marked_at, reason, ...mark });
};
