import type { NamedSubmission, Submission } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

type FullSubmission = Required<Submission>;
/**
 * A submission as it is stored, with the due time that applies to its student. `late` and the status `marking` are
 * computed on read, so they are not stored.
 */
export interface StoredSubmission extends Omit<FullSubmission, 'late' | 'status' | 'points'> {
  status: Exclude<Submission['status'], 'marking'>;
  points: NonNullable<FullSubmission['points']>;
  due_at: string | null;
}

type Claim = Pick<StoredSubmission, 'claimed_by' | 'claim_expires_at'>;

/**
 * The id of the person with a valid claim on the submission, or null. A claim is invalid from the instant it expires.
 */
export const claimantOf = ({ claimed_by, claim_expires_at }: Claim, now: Date): string | null =>
  claim_expires_at !== null && Date.parse(claim_expires_at) > now.getTime() ? claimed_by : null;

/** Whether an attempt is late. An attempt exactly at the due time is in time. */
export const isLate = (submitted_at: string, due_at: string | null): boolean =>
  due_at !== null && Date.parse(submitted_at) > Date.parse(due_at);

const statusOf = (it: StoredSubmission, now: Date): Submission['status'] =>
  it.status === 'submitted' && claimantOf(it, now) !== null ? 'marking' : it.status;

/** The fields of a submission that the caller can see. A student sees nothing of the mark before its release. */
export const submissionView = (it: StoredSubmission, caller: Caller, now: Date): Submission => {
  const { due_at, claimed_by: _claimant, claim_expires_at, score, points, comment, rubric, ...rest } = it;
  const { revision, marked_at, marked_by, ...base } = rest;
  const view = { ...base, late: isLate(it.submitted_at, due_at), status: statusOf(it, now) };
  const mark = { score, points, comment, rubric, revision, marked_at };
  if (!isStaff(caller)) return it.status === 'released' ? { ...view, ...mark } : view;
  const claimant = claimantOf(it, now);
  const claim = { claimed_by: claimant, claim_expires_at: claimant === null ? null : claim_expires_at };
  return { ...view, ...mark, marked_by, ...claim };
};

/** A stored submission with the names for its ids. */
export interface NamedStoredSubmission extends StoredSubmission {
  lianxi_title: string;
  student_name: string | null;
  marked_by_name: string | null;
  claimed_by_name: string | null;
}

/** The visible fields of a submission with names. Only staff see the name of the marker. */
export const namedSubmissionView = (it: NamedStoredSubmission, caller: Caller, now: Date): NamedSubmission => {
  const { marked_by_name, claimed_by_name, lianxi_title, student_name, ...stored } = it;
  const view = submissionView(stored, caller, now);
  const names = { lianxi_title, student_name };
  if (!isStaff(caller)) return { ...view, ...names };
  return { ...view, ...names, marked_by_name, claimed_by_name: view.claimed_by == null ? null : claimed_by_name };
};
