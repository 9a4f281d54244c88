import { Problem } from '@teaching/contracts';
import { withoutLimit } from './hours.ts';
import { restoreBookings, type LostBooking } from './leave.ts';
import { deriveResumed, recordFreeSeat, endMembership } from './membership.ts';
import { clashingLessons, isBusy, isExcused, isMarkMissing, memberOf } from './membership-queries.ts';
import { cancelOne, scheduleOne } from './lesson-status.ts';
import { cancelSeats, restoreSeats } from './seat-changes.ts';
import { elementAt, type Clazz, type Model, sum } from './state.ts';

const FOREVER = Number.POSITIVE_INFINITY;

/** The number of blockers: lessons that began without a complete roll call, and pending leave. */
export const blockers = (model: Model, clazz: number): number => {
  const isOpen = (index: number): boolean => {
    const it = elementAt(model.lessons, index);
    if (it.clazz !== clazz || it.starts > model.now) return false;
    return (
      it.status === 'scheduled' || model.students.some((_student, student) => isMarkMissing(model, index, student))
    );
  };
  const pending = model.leaves.filter(
    ({ status, lesson }) => status === 'pending' && elementAt(model.lessons, lesson).clazz === clazz,
  );
  return sum(model.lessons.map((_lesson, index) => Number(isOpen(index)))) + pending.length;
};

/** Cancels the future lessons and ends all enrolments. Marks stay. */
const endClazz = (model: Model, clazz: number, as: 'completed' | 'withdrawn'): NonNullable<Clazz['ended']> => {
  const it = elementAt(model.clazzes, clazz);
  const lessons = model.lessons.flatMap((lesson, index) =>
    lesson.clazz === clazz && lesson.status === 'scheduled' && lesson.starts > model.now ? [index] : [],
  );
  for (const index of lessons) {
    cancelOne(model, index);
    withoutLimit(model, () => cancelSeats(model, index, 'cancelled_by_org'));
  }
  const enrolments = it.enrolments.flatMap(({ status }, index) =>
    ['waiting', 'active', 'suspended'].includes(status) ? [{ it: index, status }] : [],
  );
  for (const { it: index, status } of enrolments) {
    const enrolment = elementAt(it.enrolments, index);
    enrolment.status = status === 'waiting' ? 'withdrawn' : as;
    if (status !== 'waiting') recordFreeSeat(model, clazz, enrolment.student);
    endMembership(model, clazz, enrolment);
  }
  return { at: model.now, lessons, enrolments };
};

export const complete = (model: Model, clazz: number, force: boolean): void => {
  const it = elementAt(model.clazzes, clazz);
  if (it.status !== 'active') throw new Problem('invalid_transition');
  if (!force && blockers(model, clazz) > 0) throw new Problem('completion_blocked');
  it.ended = endClazz(model, clazz, 'completed');
  it.status = 'completed';
};

export const cancelClazz = (model: Model, clazz: number): void => {
  const it = elementAt(model.clazzes, clazz);
  if (it.status !== 'active') throw new Problem('invalid_transition');
  endClazz(model, clazz, 'withdrawn');
  it.status = 'cancelled';
};

/** Whether a student of the class has another lesson at the time of this one. */
export const hasStudentClash = (model: Model, lesson: number): boolean => {
  const it = elementAt(model.lessons, lesson);
  return model.students.some(
    (_student, student) =>
      memberOf(elementAt(model.clazzes, it.clazz), student, it.starts) !== undefined &&
      !model.leaves.some(
        (one) => one.lesson === lesson && one.student === student && [one.status, one.was].includes('approved'),
      ) &&
      clashingLessons(model, it, student).some((other) => !isExcused(model, other, student)),
  );
};

/** Lessons and students (by index) and bookings (by leave) that reopening a class did not restore. */
export interface NotRestored {
  lessons: number[];
  students: number[];
  bookings: LostBooking[];
}

const restoreEnrolments = (model: Model, clazz: number, ended: NonNullable<Clazz['ended']>): number[] => {
  const { enrolments } = elementAt(model.clazzes, clazz);
  const hasClash = ended.enrolments.map(
    ({ it, status }) => status === 'active' && isBusy(model, clazz, elementAt(enrolments, it).student, ended.at),
  );
  ended.enrolments.forEach(({ it: index, status }, n) => {
    const it = elementAt(enrolments, index);
    if (hasClash[n] === true) return;
    it.status = status;
    if (status !== 'active') return;
    const closed = it.periods.find(({ to }) => to === ended.at);
    if (closed === undefined) it.periods.push({ from: Math.max(it.since, ended.at), to: FOREVER });
    else closed.to = FOREVER;
    withoutLimit(model, () => deriveResumed(model, clazz, it, ended.at));
  });
  return ended.enrolments.flatMap(({ it }, n) => (hasClash[n] === true ? [elementAt(enrolments, it).student] : []));
};

/** Restores what completing ended, except past lessons, clashes, and credits that are used elsewhere. */
export const reopen = (model: Model, clazz: number): NotRestored => {
  const it = elementAt(model.clazzes, clazz);
  if (it.status !== 'completed' || it.ended === null) throw new Problem('invalid_transition');
  it.status = 'active';
  const students = restoreEnrolments(model, clazz, it.ended);
  const cancelled = it.ended.lessons.filter((index) => elementAt(model.lessons, index).status === 'cancelled');
  const fits = cancelled.filter(
    (index) => elementAt(model.lessons, index).starts > model.now && !hasStudentClash(model, index),
  );
  for (const index of fits) {
    scheduleOne(model, index);
  }
  for (const index of fits) restoreSeats(model, index);
  const bookings = restoreBookings(model, clazz, it.ended.at);
  return { lessons: cancelled.filter((index) => !fits.includes(index)), students, bookings };
};
