import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, type MarkFields, Problem, type Question } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { holderOf, type StoredSubmission } from '../submission/submission.rules.ts';

/** How long a claim holds. */
export const CLAIM_MINUTES = 30;

export const claimExpiry = (now: Date): string => new Date(now.getTime() + CLAIM_MINUTES * MINUTE_MS).toISOString();

/** Nobody takes a submission out of another's hands. */
export const requireNotHeld = (it: StoredSubmission, user_id: string, now: Date): void => {
  const holder = holderOf(it, now);
  if (holder === null || holder === user_id) return;
  throw new Problem('claim_held', {
    detail: 'Somebody else is marking this submission',
    members: { claimed_by: holder, claim_expires_at: it.claim_expires_at },
  });
};

/**
 * Who may mark: whoever holds the claim. Without one, only a mark that is there already may be changed: by
 * its own marker, a machine's and a released one by anybody.
 */
export const requireMayMark = (it: StoredSubmission, user_id: string, now: Date): void => {
  requireNotHeld(it, user_id, now);
  if (holderOf(it, now) === user_id || it.status === 'released') return;
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
    .map((id) => ({
      path: `/body/points/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: 'is not a question of this lianxi',
    }));
};

type Mark = ReturnType<typeof MarkFields.filled>;

/** A mark that was sent again is the same mark, not another revision. */
export const isSameMark = (it: StoredSubmission, mark: Mark): boolean =>
  it.revision > 0 && isDeepStrictEqual({ ...it, ...mark }, it);
