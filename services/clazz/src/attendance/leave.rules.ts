import { type Leave, type Mark, type Policy, Problem } from '@teaching/contracts';
import { type Caller, endOfDay, isSupervisor, type AccessFilter } from '@teaching/kit';
import type { ClazzFacts, Credit, LeaveState } from '../cascade/cascade.rules.ts';
import { requireOpen } from '../record/access.rules.ts';
import type { LeaveCheck } from './lock-leave.ts';

/** Supervisors and the class's lead teacher decide. */
export const requireDecider =
  (reach: AccessFilter): LeaveCheck =>
  (standing, { clazz }) => {
    reach.requireAccess(standing, 'Leave is decided by a supervisor or the lead teacher of the class');
    requireOpen(clazz);
  };

/** Whether it helps to know what deciding would mean. */
export const canDecide = (caller: Caller, { lead_teacher_id }: Pick<ClazzFacts, 'lead_teacher_id'>): boolean =>
  isSupervisor(caller) || lead_teacher_id === caller.user_id;

/** Students take back their own; for them the teachers of the class and supervisors may. */
export const requireCanceller =
  (reach: AccessFilter): LeaveCheck =>
  (standing, { clazz }) => {
    reach.requireAccess(standing, 'Leave is taken back by the student or the teachers of the class');
    requireOpen(clazz);
  };

/**
 * An approved leave may earn a lesson to make up for it, to be used within policy's days after the lesson or the approval,
 * whichever is later: until the last of these days ends where the org is.
 */
export const newCredit = ({ leave, zone }: Policy, ends_at: string, now: Date): Credit | null => {
  if (!leave.make_up_credit) return null;
  const from = new Date(Math.max(now.getTime(), Date.parse(ends_at)));
  const expires_at = endOfDay(from, leave.make_up_expires_days, zone);
  return { status: 'available', expires_at, lesson_id: null, ended_lesson_id: null, ended_at: null, is_marked: false };
};

/** 409 for a step that the leave's status does not allow. */
export const invalidTransition =
  (to: Leave['status']) =>
  (from: Leave['status']): Problem =>
    new Problem('invalid_transition', { detail: `A leave that is ${from} cannot be ${to}`, members: { from, to } });

export const requirePending = (status: Leave['status'], to: 'approved' | 'rejected'): void => {
  if (status !== 'pending') throw invalidTransition(to)(status);
};

/** A student who attended was not away: 409 `already_attended`, unless a supervisor gives a reason. */
export const requireAway = (mark: Mark | null, caller: Caller, reason: string | null | undefined): void => {
  if (mark !== 'present' && mark !== 'late') return;
  if (isSupervisor(caller) && reason != null) return;
  throw new Problem('already_attended', `The student is marked ${mark} at this lesson`);
};

/** Open leave can be taken back, unless its make-up lesson has taken place. */
export const requireCancellable = ({ status, credit }: Pick<LeaveState, 'status' | 'credit'>): void => {
  if (status !== 'pending' && status !== 'approved') throw invalidTransition('cancelled')(status);
  if (credit?.status === 'used' && credit.is_marked) {
    throw new Problem('invalid_transition', 'The lesson that made up for it has taken place');
  }
};
