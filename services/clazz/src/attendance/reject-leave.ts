import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireWindowOfHeld } from '../cascade/edit-window.rules.ts';
import { decide, decided } from './decide.ts';
import { mayDecide, noMove, requirePending } from './leave.rules.ts';
import { lockLeave } from './lock-leave.ts';

export const rejectLeave: Handler<typeof leaveCalls.rejectLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, mayDecide(session.reach), noMove('rejected'));
  requirePending(locked.leave.status, 'rejected');
  const { caller, now } = session;
  requireWindowOfHeld(locked.state.lesson, locked.policy, { caller, reason: body?.reason }, now);
  return decide(session, locked, { leave: decided(locked.leave, 'rejected', session) }, body?.reason);
};
