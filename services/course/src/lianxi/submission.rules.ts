import type { NamedSubmission, Submission } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

type Whole = Required<Submission>;
/** A submission as it is stored, with the due time in force for its student. What is late or being marked is not stored. */
export interface StoredSubmission extends Omit<Whole, 'late' | 'status' | 'points'> {
  status: Exclude<Submission['status'], 'marking'>;
  points: NonNullable<Whole['points']>;
  due_at: string | null;
}

type Claim = Pick<StoredSubmission, 'claimed_by' | 'claim_expires_at'>;

/** The person whose claim on the submission lasts; a claim ends at the instant it expires. */
export const claimantOf = ({ claimed_by, claim_expires_at }: Claim, now: Date): string | null =>
  claim_expires_at !== null && Date.parse(claim_expires_at) > now.getTime() ? claimed_by : null;

/** Handed in at the due time itself is in time. */
export const isLate = (submitted_at: string, due_at: string | null): boolean =>
  due_at !== null && Date.parse(submitted_at) > Date.parse(due_at);

const statusOf = (it: StoredSubmission, now: Date): Submission['status'] =>
  it.status === 'submitted' && claimantOf(it, now) !== null ? 'marking' : it.status;

/** What the caller may know of a submission: a student nothing of the mark before it is released. */
export const viewOf = (it: StoredSubmission, caller: Caller, now: Date): Submission => {
  const { due_at, claimed_by: _claimant, claim_expires_at, score, points, comment, rubric, ...rest } = it;
  const { revision, marked_at, marked_by, ...open } = rest;
  const shown = { ...open, late: isLate(it.submitted_at, due_at), status: statusOf(it, now) };
  const mark = { score, points, comment, rubric, revision, marked_at };
  if (!isStaff(caller)) return it.status === 'released' ? { ...shown, ...mark } : shown;
  const claimant = claimantOf(it, now);
  const claim = { claimed_by: claimant, claim_expires_at: claimant === null ? null : claim_expires_at };
  return { ...shown, ...mark, marked_by, ...claim };
};

/** A submission with the names behind its ids. */
export interface NamedStored extends StoredSubmission {
  lianxi_title: string;
  student_name: string | null;
  marked_by_name: string | null;
  claimed_by_name: string | null;
}

/** The same as `viewOf`, with names; the marker's is for staff only. */
export const namedView = (it: NamedStored, caller: Caller, now: Date): NamedSubmission => {
  const { marked_by_name, claimed_by_name, lianxi_title, student_name, ...stored } = it;
  const view = viewOf(stored, caller, now);
  const named = { lianxi_title, student_name };
  if (!isStaff(caller)) return { ...view, ...named };
  return { ...view, ...named, marked_by_name, claimed_by_name: view.claimed_by == null ? null : claimed_by_name };
};
