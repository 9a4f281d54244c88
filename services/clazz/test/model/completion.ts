import { Problem } from '@teaching/contracts';
import { withoutLimit } from './hours.ts';
import { bookAgain, type LostBooking } from './leave.ts';
import { followStudent, freePlace, leaveClazz } from './membership.ts';
import { elsewhere, isBusy, isExcused, isMissed, memberOf } from './membership-queries.ts';
import { cancelOne, scheduleOne } from './lesson-status.ts';
import { cancelSeats, restoreSeats } from './seat-changes.ts';
import { at, type Clazz, type Model, sum } from './state.ts';

const FOREVER = Number.POSITIVE_INFINITY;

/** Lessons that began without a whole roll call, and leave nobody has decided on. */
export const blockers = (model: Model, clazz: number): number => {
  const isOpen = (index: number): boolean => {
    const it = at(model.lessons, index);
    if (it.clazz !== clazz || it.starts > model.now) return false;
    return it.status === 'scheduled' || model.students.some((_student, student) => isMissed(model, index, student));
  };
  const pending = model.leaves.filter(
    ({ status, lesson }) => status === 'pending' && at(model.lessons, lesson).clazz === clazz,
  );
  return sum(model.lessons.map((_lesson, index) => Number(isOpen(index)))) + pending.length;
};

/** Future lessons are cancelled, everybody leaves; marks stay. */
const end = (model: Model, clazz: number, as: 'completed' | 'withdrawn'): NonNullable<Clazz['ended']> => {
  const it = at(model.clazzes, clazz);
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
    const enrolment = at(it.enrolments, index);
    enrolment.status = status === 'waiting' ? 'withdrawn' : as;
    if (status !== 'waiting') freePlace(model, clazz, enrolment.student);
    leaveClazz(model, enrolment);
    followStudent(model, clazz, enrolment.student);
  }
  return { at: model.now, lessons, enrolments };
};

export const complete = (model: Model, clazz: number, force: boolean): void => {
  const it = at(model.clazzes, clazz);
  if (it.status !== 'active') throw new Problem('invalid_transition');
  if (!force && blockers(model, clazz) > 0) throw new Problem('completion_blocked');
  it.ended = end(model, clazz, 'completed');
  it.status = 'completed';
};

export const cancelClazz = (model: Model, clazz: number): void => {
  const it = at(model.clazzes, clazz);
  if (it.status !== 'active') throw new Problem('invalid_transition');
  end(model, clazz, 'withdrawn');
  it.status = 'cancelled';
};

/** Students of a class have to be elsewhere then. */
export const isSeatTaken = (model: Model, lesson: number): boolean => {
  const it = at(model.lessons, lesson);
  return model.students.some(
    (_student, student) =>
      memberOf(at(model.clazzes, it.clazz), student, it.starts) !== undefined &&
      !model.leaves.some(
        (one) => one.lesson === lesson && one.student === student && [one.status, one.was].includes('approved'),
      ) &&
      elsewhere(model, it, student).some((other) => !isExcused(model, other, student)),
  );
};

/** What reopening could not bring back: lessons and students by index, bookings by leave. */
export interface NotRestored {
  lessons: number[];
  students: number[];
  bookings: LostBooking[];
}

const back = (model: Model, clazz: number, ended: NonNullable<Clazz['ended']>): number[] => {
  const { enrolments } = at(model.clazzes, clazz);
  const isAway = ended.enrolments.map(
    ({ it, status }) => status === 'active' && isBusy(model, clazz, at(enrolments, it).student, ended.at),
  );
  ended.enrolments.forEach(({ it: index, status }, n) => {
    const it = at(enrolments, index);
    if (isAway[n] === true) return;
    it.status = status;
    if (status !== 'active') return;
    const closed = it.periods.find(({ to }) => to === ended.at);
    if (closed === undefined) it.periods.push({ from: Math.max(it.since, ended.at), to: FOREVER });
    else closed.to = FOREVER;
    withoutLimit(model, () => followStudent(model, clazz, it.student));
  });
  return ended.enrolments.flatMap(({ it }, n) => (isAway[n] === true ? [at(enrolments, it).student] : []));
};

/** Exactly what completing ended returns, except what is past, taken or used elsewhere by now. */
export const reopen = (model: Model, clazz: number): NotRestored => {
  const it = at(model.clazzes, clazz);
  if (it.status !== 'completed' || it.ended === null) throw new Problem('invalid_transition');
  it.status = 'active';
  const students = back(model, clazz, it.ended);
  const cancelled = it.ended.lessons.filter((index) => at(model.lessons, index).status === 'cancelled');
  const fits = cancelled.filter((index) => at(model.lessons, index).starts > model.now && !isSeatTaken(model, index));
  for (const index of fits) {
    scheduleOne(model, index);
  }
  for (const index of fits) restoreSeats(model, index);
  const bookings = bookAgain(model, clazz, it.ended.at);
  return { lessons: cancelled.filter((index) => !fits.includes(index)), students, bookings };
};
