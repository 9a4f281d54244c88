import type { Enrolment } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

/**
 * The cascade's entry for enrolment changes: called inside the transaction by whatever enrols, suspends,
 * resumes, withdraws, transfers, completes or reopens, after enrolments and periods were written and
 * before the lessons of the class are touched. `before` is null for a new enrolment; all changes are of
 * one class. A student whose `after.status` is not `active` has left as of `session.now`.
 */
export const enrolmentsChanged = async (
  _session: Session,
  _clazz_id: string,
  _changes: readonly { before: Enrolment | null; after: Enrolment }[],
): Promise<void> => {};
