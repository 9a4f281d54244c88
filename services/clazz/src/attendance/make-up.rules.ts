import { type Leave, Problem } from '@teaching/contracts';
import type { AccessFilter } from '@teaching/kit';
import type { Credit, LeaveState, LessonState } from '../cascade/cascade.rules.ts';
import { requireOpen } from '../record/access.rules.ts';
import type { LeaveCheck } from './lock-leave.ts';

const hasBegun = ({ lesson }: Pick<LessonState, 'lesson'>, now: Date): boolean =>
  Date.parse(lesson.starts_at) <= now.getTime();

const unavailable = (detail: string): Problem => new Problem('credit_unavailable', detail);

export const creditUnavailable = (status: Leave['status']): Problem => unavailable(`This leave is ${status}`);

/** Refuses callers other than the student, the teachers of the class and supervisors. */
export const requireCreditUser =
  (reach: AccessFilter): LeaveCheck =>
  (people) =>
    reach.requireAccess(people, 'Only the student, the teachers of the class or a supervisor may use a make-up credit');

/**
 * The available credit of an approved leave. 409 `credit_unavailable` if there is none, or if it expires before the
 * lesson.
 */
export const requireCredit = ({ status, credit }: LeaveState, starts_at: string): Credit => {
  if (status !== 'approved' || credit === null) throw unavailable('This leave has no make-up credit');
  if (credit.status !== 'available') throw unavailable(`The make-up credit is ${credit.status}`);
  if (credit.expires_at <= starts_at) throw unavailable(`The make-up credit expires at ${credit.expires_at}`);
  return credit;
};

/** The refusal of a lesson in which the student has a place anyway (domain rules, section 11, "Make-ups"). */
export const alreadyAttending = (): Problem =>
  new Problem('already_attending', 'The student has a place in this lesson already');

/**
 * Refuses a lesson that cannot be booked: one that is not scheduled or has begun, one of a draft or closed class, or one
 * at which the student is already a guest.
 */
export const requireBookableLesson = ({ lesson, clazz, seats }: LessonState, student_id: string, now: Date): void => {
  requireOpen(clazz);
  if (clazz.status === 'draft') throw new Problem('invalid_transition', 'The class of the lesson is a draft');
  if (lesson.status !== 'scheduled') throw new Problem('invalid_transition', `The lesson is ${lesson.status}`);
  if (hasBegun({ lesson }, now)) throw new Problem('invalid_transition', 'The lesson has begun');
  if (seats.some((seat) => seat.guest && seat.student_id === student_id)) throw alreadyAttending();
};

/** Refuses to undo when no lesson is booked, or once the booked lesson has begun. */
export const requireBooking = ({ status, credit }: LeaveState, target: LessonState | undefined, now: Date): void => {
  if (status !== 'approved' || credit?.status !== 'used') throw unavailable('No make-up lesson is booked');
  if (target !== undefined && (target.lesson.status === 'held' || hasBegun(target, now))) {
    throw new Problem('invalid_transition', 'The make-up lesson has begun');
  }
};
