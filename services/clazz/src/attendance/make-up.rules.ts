import { type Leave, Problem } from '@teaching/contracts';
import type { AccessFilter } from '@teaching/kit';
import type { Credit, LeaveState, LessonState } from '../cascade/cascade.rules.ts';
import { requireOpen } from '../record/access.rules.ts';
import type { LeaveCheck } from './lock-leave.ts';

const hasBegun = ({ lesson }: Pick<LessonState, 'lesson'>, now: Date): boolean =>
  Date.parse(lesson.starts_at) <= now.getTime();

const unavailable = (detail: string): Problem => new Problem('credit_unavailable', detail);

export const creditUnavailable = (status: Leave['status']): Problem => unavailable(`This leave is ${status}`);

/** The student, and for them the teachers of the class. */
export const requireCreditUser =
  (reach: AccessFilter): LeaveCheck =>
  (standing) =>
    reach.requireAccess(standing, 'A credit is used by the student or the teachers of the class');

/** The credit of an approved leave, which is not used and not over when the lesson begins. */
export const requireCredit = ({ status, credit }: LeaveState, starts_at: string): Credit => {
  if (status !== 'approved' || credit === null) throw unavailable('This leave has no make-up credit');
  if (credit.status !== 'available') throw unavailable(`The make-up credit is ${credit.status}`);
  if (credit.expires_at <= starts_at) throw unavailable(`The make-up credit expires at ${credit.expires_at}`);
  return credit;
};

/** Whether a lesson can make up for the missed one: another one, still to begin, of a class that runs. */
export const requireHost = ({ lesson, clazz, seats }: LessonState, leave: LeaveState, now: Date): void => {
  requireOpen(clazz);
  if (clazz.status === 'draft') throw new Problem('invalid_transition', 'The class of the lesson is a draft');
  if (lesson.status !== 'scheduled') throw new Problem('invalid_transition', `The lesson is ${lesson.status}`);
  if (hasBegun({ lesson }, now)) throw new Problem('invalid_transition', 'The lesson has begun');
  if (lesson.id === leave.lesson_id) throw unavailable('This is the lesson that was missed');
  const own = seats.find((seat) => seat.student_id === leave.student_id);
  if (own?.guest === true) throw unavailable('The student already makes up for another lesson there');
};

/** The booking that is undone: not once its lesson has begun. */
export const requireBooking = ({ status, credit }: LeaveState, target: LessonState | undefined, now: Date): void => {
  if (status !== 'approved' || credit?.status !== 'used') throw unavailable('No lesson is booked to make up for it');
  if (target !== undefined && (target.lesson.status === 'held' || hasBegun(target, now))) {
    throw new Problem('invalid_transition', 'The lesson that makes up for it has begun');
  }
};
