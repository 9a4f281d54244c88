import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireWindowOfHeld } from '../cascade/edit-window.rules.ts';
import { decide } from './decide.ts';
import { requireFree } from './book.ts';
import { mayCancel, noMove, requireCancellable } from './leave.rules.ts';
import { lockLeave } from './lock-leave.ts';

/** Without leave, who was away was absent; the credit goes, and the student has to be free for the lesson again. */
export const cancelLeave: Handler<typeof leaveCalls.cancelLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, mayCancel(session.reach), noMove('cancelled'));
  const { leave, seat, policy, state } = locked;
  requireCancellable(leave);
  const { caller, now } = session;
  requireWindowOfHeld(state.lesson, policy, { caller, reason: body?.reason }, now);
  if (leave.status === 'approved')
    await requireFree(session, leave.lesson_id, leave.student_id, leave.credit?.lesson_id);
  const cancelled = {
    ...leave,
    status: 'cancelled' as const,
    cancelled_by: session.actor_id,
    cancelled_at: now.toISOString(),
  };
  const wasLeave = leave.status === 'approved' && seat.mark?.mark === 'leave';
  const instruction = wasLeave ? { leave: cancelled, mark: 'absent' as const } : { leave: cancelled };
  return decide(session, locked, instruction, body?.reason);
};
