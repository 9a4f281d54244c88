import { Problem } from '@teaching/contracts';
import { isListed, type LeaveState, type Seat } from '../cascade/cascade.rules.ts';
import type { LessonState } from '../cascade/load-lessons.ts';
import { requireOpenClazz } from './roll-call.rules.ts';

export const unavailable = (detail: string): Problem => new Problem('credit_unavailable', detail);

/** An approved leave whose credit is neither used nor over. */
export const requireCredit = ({ status, credit }: LeaveState, now: string): void => {
  if (status !== 'approved' || credit === null) throw unavailable('This leave has no make-up credit');
  if (credit.status !== 'available') throw unavailable(`The make-up credit is ${credit.status}`);
  if (credit.expires_at <= now) throw unavailable(`The make-up credit expired at ${credit.expires_at}`);
};

/**
 * Whether a lesson can make up for the missed one: still to be held, another one, and with a free seat
 * unless the student belongs to it.
 */
export const requirePlace = ({ lesson, clazz, seats }: LessonState, leave: LeaveState): void => {
  requireOpenClazz(clazz);
  if (lesson.status !== 'scheduled') throw new Problem('invalid_transition', `The lesson is ${lesson.status}`);
  if (lesson.id === leave.lesson_id) throw unavailable('This is the lesson that was missed');
  const own = seats.find((seat): seat is Seat => seat.student_id === leave.student_id);
  if (own?.guest === true) throw unavailable('The student already makes up for another lesson there');
  if (own?.enrolled === true || clazz.capacity === null) return;
  if (seats.filter(isListed).length >= clazz.capacity) throw new Problem('clazz_full', 'The lesson has no free seat');
};
