import { type Leave, notFound, type Policy, type Problem } from '@teaching/contracts';
import type { Row, Session, RelatedPeople } from '@teaching/kit';
import type { LeaveState, LessonState, Seat } from '../cascade/cascade.rules.ts';
import { LEAVE } from '../cascade/cascade.tables.ts';
import { lockSeats, readSeats } from '../cascade/lock-seats.ts';
import { relatedPeopleOf } from '../record/access.rules.ts';

/** A leave under the lock of its lesson, with all that its cascade depends on. */
export interface LockedLeave {
  leave: LeaveState;
  policy: Policy;
  state: LessonState;
  seat: Seat;
  /** Further lessons that were asked for. */
  others: LessonState[];
}

/** Refuses a leave that is not for the caller, as it is at its lesson. */
export type LeaveCheck = (standing: RelatedPeople, state: LessonState) => void;

/** The people related to a leave. */
const standingOf = (state: LessonState, student_id: string): RelatedPeople => ({
  ...relatedPeopleOf(state),
  self: student_id,
});

/** A leave that the caller may know of: students their own. Of staff it is asked with its lesson. */
const requireLeave = async (session: Session, id: string): Promise<Row<typeof LEAVE>> => {
  const found = await session.find(LEAVE, id);
  if (found === undefined) throw notFound('Leave');
  session.access.requireAccess({ self: found.student_id, lead: true, teacher: true }, notFound('Leave'));
  return found;
};

/** A leave as it is, for looking only; one that has ended is refused by `refuse`. */
export const readLeave = async (
  session: Session,
  id: string,
  may: LeaveCheck,
  refuse: (from: Leave['status']) => Problem,
): Promise<{ leave: LeaveState; state: LessonState }> => {
  const { lesson_id, student_id, status } = await requireLeave(session, id);
  const [state] = (await readSeats(session, [lesson_id])).lessons;
  if (state === undefined) throw notFound('Leave');
  may(standingOf(state, student_id), state);
  const leave = state.seats.find((seat) => seat.leave?.id === id)?.leave;
  if (leave == null) throw refuse(status);
  return { leave, state };
};

/**
 * Locks the lesson of a leave, and further lessons with it. A leave that is neither pending nor approved is
 * not part of its lesson any more: `refuse` says how that is refused.
 */
export const lockLeave = async (
  session: Session,
  id: string,
  may: LeaveCheck,
  refuse: (from: Leave['status']) => Problem,
  more: readonly string[] = [],
): Promise<LockedLeave> => {
  const { lesson_id, student_id } = await requireLeave(session, id);
  const { policy, lessons } = await lockSeats(session, [lesson_id, ...more]);
  const [state, ...others] = lessons;
  if (state === undefined) throw notFound('Leave');
  may(standingOf(state, student_id), state);
  const seat = state.seats.find((it) => it.leave?.id === id);
  if (seat?.leave?.status === 'pending' || seat?.leave?.status === 'approved') {
    session.checkVersion(seat.leave.version);
    return { leave: seat.leave, policy, state, seat, others };
  }
  // Read again: it may have been decided before its lesson was locked.
  const found = await session.find(LEAVE, id);
  throw found === undefined ? notFound('Leave') : refuse(found.status);
};
