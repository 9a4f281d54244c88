import { type leaveCalls, Problem } from '@teaching/contracts';
import { type Handler, isStaff, isSupervisor, type Session } from '@teaching/kit';
import type { LeaveState } from '../cascade/cascade.rules.ts';
import type { LessonState } from '../cascade/load-lessons.ts';
import { requireOpenClazz, teaches } from './roll-call.rules.ts';
import { decide, lockLeave } from './lock-leave.ts';
import { newCredit, noMove, requireCancellable, requireDecider, requirePending } from './leave.rules.ts';

const decided = (leave: LeaveState, status: LeaveState['status'], session: Session): LeaveState => ({
  ...leave,
  status,
  decided_by: session.caller.user_id,
  decided_at: session.now.toISOString(),
});

const byDecider =
  (session: Session) =>
  ({ clazz }: LessonState): void => {
    requireDecider(session.caller, clazz);
    requireOpenClazz(clazz);
  };

/** Gives the credit that policy grants; if roll call was taken already, the mark becomes leave. */
export const approveLeave: Handler<typeof leaveCalls.approve> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, byDecider(session), noMove('approved'));
  const { leave, policy, state } = locked;
  requirePending(leave.status, 'approved');
  const { lesson } = state;
  const credit = newCredit(policy, lesson.ends_at, session.now);
  const approved = { ...decided(leave, 'approved', session), credit };
  const wish = lesson.status === 'held' ? { leave: approved, mark: 'leave' as const } : { leave: approved };
  return decide(session, locked, wish, body?.reason ?? null);
};

export const rejectLeave: Handler<typeof leaveCalls.reject> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, byDecider(session), noMove('rejected'));
  requirePending(locked.leave.status, 'rejected');
  return decide(session, locked, { leave: decided(locked.leave, 'rejected', session) }, body?.reason ?? null);
};

/** Students take back their own; for them the teachers of the class and supervisors may. */
const byOwner =
  (session: Session) =>
  ({ clazz, lesson }: LessonState): void => {
    const { caller } = session;
    if (isStaff(caller) && !isSupervisor(caller) && !teaches(caller.user_id, clazz, lesson)) {
      throw new Problem('forbidden', 'Leave is taken back by the student or the teachers of the class');
    }
    requireOpenClazz(clazz);
  };

/** Without leave, who was away was absent; the credit goes. */
export const cancelLeave: Handler<typeof leaveCalls.cancel> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, byOwner(session), noMove('cancelled'));
  const { leave, seat } = locked;
  requireCancellable(leave);
  const cancelled = decided(leave, 'cancelled', session);
  const wasLeave = leave.status === 'approved' && seat.mark?.mark === 'leave';
  const wish = wasLeave ? { leave: cancelled, mark: 'absent' as const } : { leave: cancelled };
  return decide(session, locked, wish, body?.reason ?? null);
};
