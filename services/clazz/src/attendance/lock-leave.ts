import { type Leave, notFound, type Policy, type Problem } from '@teaching/contracts';
import { isStaff, type Session, statement } from '@teaching/kit';
import type { LeaveState, Seat, Wish } from '../cascade/cascade.rules.ts';
import { type LessonState, loadLessons } from '../cascade/load-lessons.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { toLeave } from '../cascade/leave-row.ts';

const FIND = statement<{ lesson_id: string; student_id: string }>(
  'select lesson_id, student_id from leave where org_id = $1 and id = $2',
);
const STATUS = statement<Pick<Leave, 'status'>>('select status from leave where org_id = $1 and id = $2');

/** A leave under the lock of its lesson, with all that its cascade depends on. */
export interface LockedLeave {
  leave: LeaveState;
  policy: Policy;
  state: LessonState;
  seat: Seat;
  /** Further lessons that were asked for. */
  others: LessonState[];
}

/** The lesson of a leave that the caller may know of: students their own. */
export const lessonOfLeave = async (session: Session, id: string): Promise<string> => {
  const found = await session.one(FIND, session.org_id, id);
  const { caller } = session;
  if (found === undefined || (!isStaff(caller) && found.student_id !== caller.user_id)) throw notFound('Leave');
  return found.lesson_id;
};

/**
 * Locks the lesson of a leave, and further lessons with it. A leave that is neither pending nor approved is
 * not part of its lesson any more: `refuse` says how that is refused.
 */
export const lockLeave = async (
  session: Session,
  id: string,
  may: (state: LessonState) => void,
  refuse: (from: Leave['status']) => Problem,
  more: readonly string[] = [],
): Promise<LockedLeave> => {
  const lesson_id = await lessonOfLeave(session, id);
  const { policy, lessons } = await loadLessons(session, [lesson_id, ...more]);
  const [state, ...others] = lessons;
  if (state === undefined) throw notFound('Leave');
  may(state);
  const seat = state.seats.find((it) => it.leave?.id === id);
  if (seat?.leave?.status === 'pending' || seat?.leave?.status === 'approved') {
    session.checkVersion(seat.leave.version);
    return { leave: seat.leave, policy, state, seat, others };
  }
  const found = await session.one(STATUS, session.org_id, id);
  throw found === undefined ? notFound('Leave') : refuse(found.status);
};

/** Lets the cascade follow a decision, and answers the leave as it then is. */
export const decide = async (
  session: Session,
  { policy, state, seat }: LockedLeave,
  wish: Wish,
  reason: string | null,
): Promise<Leave> => {
  const wishes = new Map([[seat.student_id, wish]]);
  const [after] = await runCascade(session, { policy, lessons: [state], wishes, reason, mayRefuse: true });
  const leave = after?.seats.find((it) => it.student_id === seat.student_id)?.leave;
  if (leave == null) throw new Error(`the leave of ${seat.student_id} went missing`);
  return toLeave(leave, session.now.toISOString());
};
