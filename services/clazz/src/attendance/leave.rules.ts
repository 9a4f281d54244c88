import { type Leave, type Mark, type Policy, Problem } from '@teaching/contracts';
import { type Caller, endOfDay, isSupervisor, type AccessFilter } from '@teaching/kit';
import type { ClazzFacts, Credit, LeaveState } from '../cascade/cascade.rules.ts';
import { requireOpen } from '../record/access.rules.ts';
import type { LeaveCheck } from './lock-leave.ts';

/** Refuses callers other than supervisors and the lead teacher, and a closed class. */
export const requireDecider =
  (reach: AccessFilter): LeaveCheck =>
  (people, { clazz }) => {
    reach.requireAccess(people, 'Only the lead teacher of the class or a supervisor may decide leave');
    requireOpen(clazz);
  };

/** Whether the caller may decide leave of the class, and therefore sees the consequences of a decision. */
export const canDecide = (caller: Caller, { lead_teacher_id }: Pick<ClazzFacts, 'lead_teacher_id'>): boolean =>
  isSupervisor(caller) || lead_teacher_id === caller.user_id;

/** Refuses callers other than the student, the teachers of the class and supervisors, and a closed class. */
export const requireCanceller =
  (reach: AccessFilter): LeaveCheck =>
  (people, { clazz }) => {
    reach.requireAccess(people, 'Only the student, the teachers of the class or a supervisor may cancel leave');
    requireOpen(clazz);
  };

/**
 * The make-up credit of an approved leave, or null if the policy gives none.
 * It expires at the end of the day, in the org's zone, that is `make_up_expires_days` after the lesson or the approval,
 * whichever is later.
 */
export const newCredit = ({ leave, zone }: Policy, ends_at: string, now: Date): Credit | null => {
  if (!leave.make_up_credit) return null;
  const from = new Date(Math.max(now.getTime(), Date.parse(ends_at)));
  const expires_at = endOfDay(from, leave.make_up_expires_days, zone);
  return { status: 'available', expires_at, lesson_id: null, ended_lesson_id: null, ended_at: null, is_marked: false };
};

/** 409 `invalid_transition` for a change that the status of the leave does not allow. */
export const invalidTransition =
  (to: Leave['status']) =>
  (from: Leave['status']): Problem =>
    new Problem('invalid_transition', { detail: `A leave that is ${from} cannot be ${to}`, members: { from, to } });

export const requirePending = (status: Leave['status'], to: 'approved' | 'rejected'): void => {
  if (status !== 'pending') throw invalidTransition(to)(status);
};

/** 409 `already_attended` for a student marked `present` or `late`, unless a supervisor gives a reason. */
export const requireNotAttended = (mark: Mark | null, caller: Caller, reason: string | null | undefined): void => {
  if (mark !== 'present' && mark !== 'late') return;
  if (isSupervisor(caller) && reason != null) return;
  throw new Problem('already_attended', `The student is marked ${mark} at this lesson`);
};

/** Only pending or approved leave can be cancelled, and not once its make-up lesson has taken place. */
export const requireCancellable = ({ status, credit }: Pick<LeaveState, 'status' | 'credit'>): void => {
  if (status !== 'pending' && status !== 'approved') throw invalidTransition('cancelled')(status);
  if (credit?.status === 'used' && credit.is_marked) {
    throw new Problem('invalid_transition', 'The make-up lesson has taken place');
  }
};
