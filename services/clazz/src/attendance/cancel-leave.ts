import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { decide, decided } from './decide.ts';
import { mayCancel, noMove, requireCancellable } from './leave.rules.ts';
import { lockLeave } from './lock-leave.ts';

/** Without leave, who was away was absent; the credit goes. */
export const cancelLeave: Handler<typeof leaveCalls.cancel> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, mayCancel(session.caller), noMove('cancelled'));
  const { leave, seat } = locked;
  requireCancellable(leave);
  const cancelled = decided(leave, 'cancelled', session);
  const wasLeave = leave.status === 'approved' && seat.mark?.mark === 'leave';
  const instruction = wasLeave ? { leave: cancelled, mark: 'absent' as const } : { leave: cancelled };
  return decide(session, locked, instruction, body?.reason);
};
