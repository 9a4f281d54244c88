import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, type MarkFields, Problem, type Question, sumOf, toHundredths } from '@teaching/contracts';
import { type Caller, isSupervisor, MINUTE_MS } from '@teaching/kit';
import { pointer } from '../lianxi/scoring.rules.ts';
import { claimantOf, type StoredSubmission } from '../lianxi/submission.rules.ts';

/** How long a claim lasts. */
export const CLAIM_MINUTES = 30;

export const claimExpiry = (now: Date): string => new Date(now.getTime() + CLAIM_MINUTES * MINUTE_MS).toISOString();

/** The teacher whose practices a queue without a practice contains: the caller, or any (undefined) for a supervisor. */
export const teacherOfQueue = (caller: Caller, lianxi_id: string | undefined): string | undefined =>
  lianxi_id !== undefined || isSupervisor(caller) ? undefined : caller.user_id;

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
 * The claimant may mark. Without a claim, only an existing mark may be changed: by
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

type Points = Readonly<Record<string, string>>;
type Asked = Pick<Question, 'id' | 'points'>;

/** Points are given to questions of the practice, each at most what it is worth. */
const pointProblems = (questions: readonly Asked[], points: Points): FieldProblem[] => {
  const worth = new Map(questions.map((question) => [question.id, question.points]));
  return Object.entries(points).flatMap(([id, given]): FieldProblem[] => {
    const path = pointer('body', 'points', id);
    const most = worth.get(id);
    if (most === undefined) return [{ path, message: 'is not a question of this lianxi' }];
    return toHundredths(given) > toHundredths(most) ? [{ path, message: `must be at most ${most}` }] : [];
  });
};

const scoreProblem = (score: string, total: string, sum: string | undefined): string | undefined => {
  if (toHundredths(score) > toHundredths(total)) return `must be at most ${total}, the points of the lianxi`;
  return sum === undefined || sum === score ? undefined : `must be ${sum}, the sum of the points`;
};

/** A score without points keeps the stored points if they can add up to it; otherwise its parts are unknown and it has none. */
const pointsUnder = (score: string, stored: Points, questions: readonly Asked[]): Points => {
  const sum = sumOf(Object.values(stored));
  const isOpen = questions.some(({ id }) => !(id in stored));
  return sum === score || (isOpen && toHundredths(sum) < toHundredths(score)) ? stored : {};
};

interface Given {
  score: string;
  points?: Points | null | undefined;
}

/**
 * The points of a mark and what is wrong with it. Points left out keep what they were; together they are the score,
 * which is at most the points of the practice.
 */
export const pointsOf = (
  { score, points }: Given,
  stored: Points,
  { questions, total_points }: { questions: readonly Asked[]; total_points: string },
): { points: Record<string, string>; errors: FieldProblem[] } => {
  const given = points ?? {};
  const isAlone = Object.keys(given).length === 0;
  const all = isAlone ? pointsUnder(score, stored, questions) : { ...stored, ...given };
  const errors = pointProblems(questions, given);
  const sum = isAlone || errors.length > 0 ? undefined : sumOf(Object.values(all));
  const message = scoreProblem(score, total_points, sum);
  return { points: { ...all }, errors: message === undefined ? errors : [...errors, { path: '/body/score', message }] };
};

type Mark = ReturnType<typeof MarkFields.withDefaults>;

/** A mark that its marker sends again is the same mark; an equal mark of another person is a new revision. */
export const isSameMark = (it: StoredSubmission, mark: Mark, user_id: string): boolean =>
  it.revision > 0 && it.marked_by === user_id && isDeepStrictEqual({ ...it, ...mark }, it);
