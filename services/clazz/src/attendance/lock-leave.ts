import { type Leave, notFound, type Policy, type Problem } from '@teaching/contracts';
import type { Row, Session, RelatedPeople } from '@teaching/kit';
import { isOpenLeave, type LeaveState, type LessonState, type Seat } from '../cascade/cascade.rules.ts';
import { LEAVE } from '../cascade/cascade.tables.ts';
import { lockSeats, readSeats } from '../cascade/lock-seats.ts';
import { relatedPeopleOf } from '../record/access.rules.ts';

/** A leave whose lesson is locked, with all data that its cascade depends on. */
export interface LockedLeave {
  leave: LeaveState;
  policy: Policy;
  state: LessonState;
  seat: Seat;
  /** The further lessons that the caller requested. */
  others: LessonState[];
}

/**
 * Throws when the caller may not access the leave, or when the state of its lesson, or of the further lessons `others`,
 * does not allow the action.
 */
export type LeaveCheck = (
  people: RelatedPeople & { self: string },
  state: LessonState,
  others: readonly LessonState[],
) => void | Promise<void>;

/** The people related to a leave. */
const relatedPeople = (state: LessonState, student_id: string): RelatedPeople & { self: string } => ({
  ...relatedPeopleOf(state),
  self: student_id,
});

/** 404 for a leave of another student. Access of staff is checked later, together with the lesson. */
const requireLeave = async (session: Session, id: string): Promise<Row<typeof LEAVE>> => {
  const found = await session.find(LEAVE, id);
  if (found === undefined) throw notFound('Leave');
  session.access.requireAccess({ self: found.student_id, lead: true, teacher: true }, notFound('Leave'));
  return found;
};

/** Reads a leave without a lock. `refuse` makes the error for a leave that is no longer pending or approved. */
export const readLeave = async (
  session: Session,
  id: string,
  check: LeaveCheck,
  refuse: (from: Leave['status']) => Problem,
): Promise<Pick<LockedLeave, 'leave' | 'policy' | 'state'>> => {
  const { lesson_id, student_id, status } = await requireLeave(session, id);
  const { policy, lessons } = await readSeats(session, [lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Leave');
  await check(relatedPeople(state, student_id), state, []);
  const leave = state.seats.find((seat) => seat.leave?.id === id)?.leave;
  if (leave == null) throw refuse(status);
  return { leave, policy, state };
};

/** Locks the lesson of a leave, and further lessons with it. */
const lockLessons = async (
  session: Session,
  id: string,
  check: LeaveCheck,
  more: readonly string[] = [],
): Promise<Omit<LockedLeave, 'leave' | 'seat'> & { student_id: string }> => {
  const { lesson_id, student_id } = await requireLeave(session, id);
  const { policy, lessons } = await lockSeats(session, [lesson_id, ...more]);
  const [state, ...others] = lessons;
  if (state === undefined) throw notFound('Leave');
  await check(relatedPeople(state, student_id), state, others);
  return { student_id, policy, state, others };
};

/**
 * Locks the lesson of a leave, and further lessons with it. `refuse` makes the error for a leave that is no longer
 * pending or approved.
 */
export const lockLeave = async (
  session: Session,
  id: string,
  check: LeaveCheck,
  refuse: (from: Leave['status']) => Problem,
  more: readonly string[] = [],
): Promise<LockedLeave> => {
  const { policy, state, others } = await lockLessons(session, id, check, more);
  const seat = state.seats.find((it) => it.leave?.id === id);
  if (seat?.leave != null && isOpenLeave(seat.leave)) {
    session.checkVersion(seat.leave.version);
    return { leave: seat.leave, policy, state, seat, others };
  }
  // The leave may have been decided before its lesson was locked, so its status is read again.
  const found = await session.find(LEAVE, id);
  throw found === undefined ? notFound('Leave') : refuse(found.status);
};

/**
 * Locks the lesson of a leave of any status. `seat.leave` is this leave, also if it is rejected. `seat` is undefined for
 * a student who neither belongs to the lesson nor has a mark there.
 */
export const lockLeaveOfAnyStatus = async (
  session: Session,
  id: string,
  check: LeaveCheck,
): Promise<Omit<LockedLeave, 'seat' | 'others'> & { seat: Seat | undefined }> => {
  const { student_id, policy, state } = await lockLessons(session, id, check);
  const found = state.seats.find((it) => it.student_id === student_id);
  if (found?.leave?.id === id) {
    session.checkVersion(found.leave.version);
    return { leave: found.leave, policy, state, seat: found };
  }
  const row = await session.find(LEAVE, id);
  if (row === undefined) throw notFound('Leave');
  session.checkVersion(row.version);
  const { org_id: _org, ...stored } = row;
  const leave = { ...stored, credit: null };
  const seat = found && { ...found, leave };
  const seats = state.seats.map((it) => (it === found && seat !== undefined ? seat : it));
  return { leave, policy, state: { ...state, seats }, seat };
};
