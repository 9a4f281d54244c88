import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, type MarkFields, Problem, type Question } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { pointer } from '../shared/pointer.rules.ts';
import { claimantOf, type StoredSubmission } from '../submission/submission.rules.ts';

/** How long a claim lasts. */
export const CLAIM_MINUTES = 30;

export const claimExpiry = (now: Date): string => new Date(now.getTime() + CLAIM_MINUTES * MINUTE_MS).toISOString();

/** While a claim lasts, only the claimant marks the submission. */
export const requireNotClaimedByOthers = (it: StoredSubmission, user_id: string, now: Date): void => {
  const claimant = claimantOf(it, now);
  if (claimant === null || claimant === user_id) return;
  throw new Problem('claim_held', {
    detail: 'Somebody else is marking this submission',
    members: { claimed_by: claimant, claim_expires_at: it.claim_expires_at },
  });
};

/**
 * Who may mark: the claimant. Without a claim, only a mark that is there already may be changed: by
 * its own marker, a machine's and a released one by anybody.
 */
export const requireMayMark = (it: StoredSubmission, user_id: string, now: Date): void => {
  requireNotClaimedByOthers(it, user_id, now);
  if (claimantOf(it, now) === user_id || it.status === 'released') return;
  const own = it.status === 'marked' && (it.marked_by === null || it.marked_by === user_id);
  if (!own) throw new Problem('not_claimed', 'Claim the submission before marking it');
};

/** A mark that students have seen is changed for a reason. */
export const reasonProblems = ({ status }: StoredSubmission, reason: string | null): FieldProblem[] =>
  status === 'released' && reason === null ? [{ path: '/body/reason', message: 'is required after release' }] : [];

/** Points are given to questions of the practice. */
export const pointProblems = (
  questions: readonly Question[],
  points: Readonly<Record<string, string>>,
): FieldProblem[] => {
  const known = new Set(questions.map(({ id }) => id));
  return Object.keys(points)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: pointer('body', 'points', id), message: 'is not a question of this lianxi' }));
};

type Mark = ReturnType<typeof MarkFields.filled>;

/** A mark that was sent again is the same mark, not another revision. */
export const isSameMark = (it: StoredSubmission, mark: Mark): boolean =>
  it.revision > 0 && isDeepStrictEqual({ ...it, ...mark }, it);
