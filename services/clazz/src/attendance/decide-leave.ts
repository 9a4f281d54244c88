import type { leaveCalls, ListedLeave } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import type { SeatInstruction, LeaveState } from '../cascade/cascade.rules.ts';
import { requireEditWindowOfHeldLesson } from '../cascade/edit-window.rules.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import {
  requireCanceller,
  requireDecider,
  newCredit,
  invalidTransition,
  requireNotAttended,
  requireCancellable,
  requirePending,
} from './leave.rules.ts';
import { lockLeave, type LockedLeave } from './lock-leave.ts';
import { requireStudentFree } from './make-up-booking.ts';
import { recordMissingMarks } from './missing-marks.ts';
import { readWrittenLeave } from './read-leaves.ts';

/** The leave with the caller's decision. */
const toDecidedLeave = (
  leave: LeaveState,
  status: LeaveState['status'],
  session: Session,
  reason: string | null | undefined,
): LeaveState => ({
  ...leave,
  status,
  decided_by: session.actor_id,
  decided_at: session.now.toISOString(),
  decision_reason: reason ?? null,
});

/** Runs the cascade with a decision, and returns the leave as it is afterwards. */
export const applyDecision = async (
  session: Session,
  { policy, state, seat }: Pick<LockedLeave, 'policy' | 'state' | 'seat'>,
  instruction: SeatInstruction,
  reason: string | null = null,
): Promise<ListedLeave> => {
  const instructions = new Map([[seat.student_id, instruction]]);
  const request = { policy, lessons: [state], instructions, reason, trigger: 'leave decided' as const };
  const [after] = await runCascade(session, request);
  const seats = after?.seats ?? [];
  if (state.lesson.status === 'held') recordMissingMarks(session, state, seats);
  const leave = seats.find((it) => it.student_id === seat.student_id)?.leave;
  if (leave == null) throw new Error(`the leave of ${seat.student_id} is missing after the cascade`);
  return readWrittenLeave(session, leave);
};

/** Grants the make-up credit of the policy. If the lesson is held, the mark becomes `leave`. */
export const approveLeave: Handler<typeof leaveCalls.approveLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, requireDecider(session.access), invalidTransition('approved'));
  const { leave, policy, state, seat } = locked;
  requirePending(leave.status, 'approved');
  const { lesson } = state;
  const { caller, now } = session;
  requireEditWindowOfHeldLesson(lesson, policy, { caller, reason: body?.reason }, now);
  requireNotAttended(seat.mark?.mark ?? null, caller, body?.reason);
  const credit = newCredit(policy, lesson.ends_at, session.now);
  const approved = { ...toDecidedLeave(leave, 'approved', session, body?.reason), credit };
  const instruction = lesson.status === 'held' ? { leave: approved, mark: 'leave' as const } : { leave: approved };
  return applyDecision(session, locked, instruction, body?.reason);
};

export const rejectLeave: Handler<typeof leaveCalls.rejectLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, requireDecider(session.access), invalidTransition('rejected'));
  requirePending(locked.leave.status, 'rejected');
  const { caller, now } = session;
  requireEditWindowOfHeldLesson(locked.state.lesson, locked.policy, { caller, reason: body?.reason }, now);
  const rejected = toDecidedLeave(locked.leave, 'rejected', session, body?.reason);
  return applyDecision(session, locked, { leave: rejected }, body?.reason);
};

/**
 * Sets a mark `leave` to `absent` and withdraws the credit. 409 `schedule_conflict` when the student now has another
 * lesson at that time.
 */
export const cancelLeave: Handler<typeof leaveCalls.cancelLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, requireCanceller(session.access), invalidTransition('cancelled'));
  const { leave, seat, policy, state } = locked;
  requireCancellable(leave);
  const { caller, now } = session;
  requireEditWindowOfHeldLesson(state.lesson, policy, { caller, reason: body?.reason }, now);
  if (leave.status === 'approved')
    await requireStudentFree(session, leave.lesson_id, leave.student_id, leave.credit?.lesson_id);
  const cancelled = {
    ...leave,
    status: 'cancelled' as const,
    cancelled_by: session.actor_id,
    cancelled_at: now.toISOString(),
  };
  const wasLeave = leave.status === 'approved' && seat.mark?.mark === 'leave';
  const instruction = wasLeave ? { leave: cancelled, mark: 'absent' as const } : { leave: cancelled };
  return applyDecision(session, locked, instruction, body?.reason);
};
