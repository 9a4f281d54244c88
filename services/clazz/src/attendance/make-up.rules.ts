import { type Leave, Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor } from '@teaching/kit';
import type { LessonState } from '../cascade/lesson-state.ts';
import { isListed, type LeaveState } from '../cascade/seat.ts';
import { requireOpen } from '../record/access.rules.ts';
import { teaches } from './roll-call.rules.ts';

const unavailable = (detail: string): Problem => new Problem('credit_unavailable', detail);

export const noCredit = (status: Leave['status']): Problem => unavailable(`This leave is ${status}`);

/** The student, and for them the teachers of the class. */
export const mayMakeUp =
  (caller: Caller) =>
  ({ clazz, lesson }: LessonState): void => {
    if (!isStaff(caller) || isSupervisor(caller) || teaches(caller.user_id, clazz, lesson)) return;
    throw new Problem('forbidden', 'A credit is used by the student or the teachers of the class');
  };

/** An approved leave whose credit is neither used nor over. */
export const requireCredit = ({ status, credit }: LeaveState, now: string): void => {
  if (status !== 'approved' || credit === null) throw unavailable('This leave has no make-up credit');
  if (credit.status !== 'available') throw unavailable(`The make-up credit is ${credit.status}`);
  if (credit.expires_at <= now) throw unavailable(`The make-up credit expired at ${credit.expires_at}`);
};

/**
 * Whether a lesson can make up for the missed one: still to be held, another one, and with a free place
 * unless the student belongs to it.
 */
export const requirePlace = ({ lesson, clazz, seats }: LessonState, leave: LeaveState): void => {
  requireOpen(clazz);
  if (lesson.status !== 'scheduled') throw new Problem('invalid_transition', `The lesson is ${lesson.status}`);
  if (lesson.id === leave.lesson_id) throw unavailable('This is the lesson that was missed');
  const own = seats.find((seat) => seat.student_id === leave.student_id);
  if (own?.guest === true) throw unavailable('The student already makes up for another lesson there');
  if (own?.enrolled === true || clazz.capacity === null) return;
  if (seats.filter(isListed).length >= clazz.capacity) throw new Problem('clazz_full', 'The lesson has no free seat');
};
