import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, type MarkFields, Problem, type Question, sumOf, toHundredths } from '@teaching/contracts';
import { type Caller, isSupervisor, MINUTE_MS } from '@teaching/kit';
import { jsonPointer } from '../lianxi/scoring.rules.ts';
import { claimantOf, type StoredSubmission } from '../lianxi/submission.rules.ts';

/** Validity of a claim in minutes. */
export const CLAIM_MINUTES = 30;

export const claimExpiry = (now: Date): string => new Date(now.getTime() + CLAIM_MINUTES * MINUTE_MS).toISOString();

/**
 * The teacher filter of a marking queue. A queue without an exercise contains the exercises of the calling teacher; for
 * a supervisor those of all teachers (undefined).
 */
export const teacherOfQueue = (caller: Caller, lianxi_id: readonly string[] | undefined): string | undefined =>
  lianxi_id !== undefined || isSupervisor(caller) ? undefined : caller.user_id;

/** Throws 409 `claim_held` while another person has a valid claim on the submission. */
export const requireNotClaimedByOthers = (it: StoredSubmission, user_id: string, now: Date): void => {
  const claimant = claimantOf(it, now);
  if (claimant === null || claimant === user_id) return;
  throw new Problem('claim_held', {
    detail: 'Another person is marking this submission',
    members: { claimed_by: claimant, claim_expires_at: it.claim_expires_at },
  });
};

/**
 * Throws 409 `not_claimed` unless the person may mark the submission. The claimant may. Without a claim, a person may
 * change the own mark, a machine's mark and a released mark.
 */
export const requireMayMark = (it: StoredSubmission, user_id: string, now: Date): void => {
  requireNotClaimedByOthers(it, user_id, now);
  if (claimantOf(it, now) === user_id || it.status === 'released') return;
  const isOwn = it.status === 'marked' && (it.marked_by === null || it.marked_by === user_id);
  if (!isOwn) throw new Problem('not_claimed', 'Claim the submission before marking it');
};

/** A change of a released mark needs a reason, because the student has seen the mark. */
export const reasonProblems = ({ status }: StoredSubmission, reason: string | null): FieldProblem[] =>
  status === 'released' && reason === null ? [{ path: '/body/reason', message: 'is required after release' }] : [];

type Points = Readonly<Record<string, string>>;
type PointedQuestion = Pick<Question, 'id' | 'points'>;

/** The problems of points for unknown questions, and of points above the maximum of a question. */
const pointProblems = (questions: readonly PointedQuestion[], points: Points): FieldProblem[] => {
  const maxPoints = new Map(questions.map((question) => [question.id, question.points]));
  return Object.entries(points).flatMap(([id, value]): FieldProblem[] => {
    const path = jsonPointer('body', 'points', id);
    const max = maxPoints.get(id);
    if (max === undefined) return [{ path, message: 'is not a question of this exercise' }];
    return toHundredths(value) > toHundredths(max) ? [{ path, message: `must be at most ${max}` }] : [];
  });
};

const scoreProblem = (score: string, total: string, sum: string | undefined): string | undefined => {
  if (toHundredths(score) > toHundredths(total)) return `must be at most ${total}, the points of the exercise`;
  return sum === undefined || sum === score ? undefined : `must be ${sum}, the sum of the points`;
};

/**
 * The points of a score that is sent without points. They are the stored points if these can add up to the score.
 * Otherwise the points are unknown, and there are none.
 */
const keptPoints = (score: string, stored: Points, questions: readonly PointedQuestion[]): Points => {
  const sum = sumOf(Object.values(stored));
  const isOpen = questions.some(({ id }) => !(id in stored));
  return sum === score || (isOpen && toHundredths(sum) < toHundredths(score)) ? stored : {};
};

interface ScoreAndPoints {
  score: string;
  points?: Points | null | undefined;
}

/**
 * The points of a mark, and its problems. Questions without points in the request keep their points. The score must be
 * the sum of all points, and at most the points of the exercise.
 */
export const markPoints = (
  { score, points }: ScoreAndPoints,
  stored: Points,
  { questions, total_points }: { questions: readonly PointedQuestion[]; total_points: string },
): { points: Record<string, string>; errors: FieldProblem[] } => {
  const requested = points ?? {};
  const hasNoPoints = Object.keys(requested).length === 0;
  const all = hasNoPoints ? keptPoints(score, stored, questions) : { ...stored, ...requested };
  const errors = pointProblems(questions, requested);
  const sum = hasNoPoints || errors.length > 0 ? undefined : sumOf(Object.values(all));
  const message = scoreProblem(score, total_points, sum);
  return { points: { ...all }, errors: message === undefined ? errors : [...errors, { path: '/body/score', message }] };
};

type Mark = ReturnType<typeof MarkFields.withDefaults>;

/** Whether the marker sends the stored mark again. An equal mark of another person is a new revision. */
export const isSameMark = (it: StoredSubmission, mark: Mark, user_id: string): boolean =>
  it.revision > 0 && it.marked_by === user_id && isDeepStrictEqual({ ...it, ...mark }, it);
