import type { leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireWindowOfHeld } from '../cascade/edit-window.rules.ts';
import { decide, decided } from './decide.ts';
import { mayDecide, newCredit, noMove, requireAway, requirePending } from './leave.rules.ts';
import { lockLeave } from './lock-leave.ts';

/** Gives the credit that policy grants; if roll call was taken already, the mark becomes leave. */
export const approveLeave: Handler<typeof leaveCalls.approveLeave> = async ({ path, body }, session) => {
  const locked = await lockLeave(session, path.id, mayDecide(session.reach), noMove('approved'));
  const { leave, policy, state, seat } = locked;
  requirePending(leave.status, 'approved');
  const { lesson } = state;
  const { caller, now } = session;
  requireWindowOfHeld(lesson, policy, { caller, reason: body?.reason }, now);
  requireAway(seat.mark?.mark ?? null, caller, body?.reason);
  const credit = newCredit(policy, lesson.ends_at, session.now);
  const approved = { ...decided(leave, 'approved', session), credit };
  const instruction = lesson.status === 'held' ? { leave: approved, mark: 'leave' as const } : { leave: approved };
  return decide(session, locked, instruction, body?.reason);
};
