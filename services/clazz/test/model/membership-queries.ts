import { Problem } from '@teaching/contracts';
import { elementAt, type Clazz, type Enrolment, type Lesson, type Leave, type Model, seatAt } from './state.ts';

/** Queries about memberships, clashes and seats. */

/** The enrolment that makes a student a member of a class at an instant. */
export const memberOf = (clazz: Clazz, student: number, moment: number) =>
  clazz.enrolments.find(
    (it) => it.student === student && it.periods.some(({ from, to }) => from <= moment && moment < to),
  );

export const isMember = (model: Model, lesson: number, student: number): boolean => {
  const { clazz, starts } = elementAt(model.lessons, lesson);
  return memberOf(elementAt(model.clazzes, clazz), student, starts) !== undefined;
};

/** Whether a student has booked a make-up at a lesson. */
export const isGuest = (model: Model, lesson: number, student: number): boolean =>
  model.leaves.some((it) => it.student === student && it.credit?.lesson === lesson);

/** Whether a student is a member at a lesson, or still has a mark there as a former member. */
export const isMemberOrMarked = (model: Model, lesson: number, student: number): boolean =>
  isMember(model, lesson, student) ||
  (seatAt(model, lesson, student).mark !== null && !isGuest(model, lesson, student));

export const isListed = (model: Model, lesson: number, student: number): boolean =>
  isMemberOrMarked(model, lesson, student) || isGuest(model, lesson, student);

export const isOpenLeave = ({ status }: Leave): boolean => status === 'pending' || status === 'approved';

export const leaveAt = (model: Model, lesson: number, student: number): Leave | undefined =>
  model.leaves.find((it) => it.lesson === lesson && it.student === student && isOpenLeave(it));

/**
 * Whether a student has approved leave from a lesson, or had it until the lesson was cancelled. Leave that ended with a
 * membership counts for a student who joins again.
 */
const hasLeave = (model: Model, lesson: number, student: number, isJoining = false): boolean =>
  model.leaves.some(
    (it) =>
      it.lesson === lesson &&
      it.student === student &&
      (it.status === 'approved' || (it.was === 'approved' && (isJoining || it.left === null))),
  );

/** Whether a student is on leave and not a guest. A booked make-up counts whatever leave its student had. */
export const isExcused = (model: Model, lesson: number, student: number): boolean =>
  !isGuest(model, lesson, student) && hasLeave(model, lesson, student);

const overlap = (a: Lesson, b: Lesson): boolean => a.starts < b.ends && b.starts < a.ends;

/** The indexes of other lessons at the same time that list a student. */
export const clashingLessons = (model: Model, lesson: Lesson, student: number): number[] =>
  model.lessons.flatMap((it, index) =>
    it !== lesson && it.status !== 'cancelled' && overlap(it, lesson) && isListed(model, index, student) ? [index] : [],
  );

/**
 * Refuses a booking or the end of a leave if the student has another lesson then, except lessons with leave. `ending` is
 * the lesson of a booking that ends, in which only a member still has a place.
 */
export const requireFree = (model: Model, lesson: number, student: number, ending: number | null = null): void => {
  const isBusyAt = (index: number): boolean =>
    index === ending
      ? isMember(model, index, student) && !hasLeave(model, index, student)
      : !isExcused(model, index, student);
  if (clashingLessons(model, elementAt(model.lessons, lesson), student).some(isBusyAt)) {
    throw new Problem('schedule_conflict');
  }
};

/** Whether a student has a clash with a class from `since` on. `leaving` is a class that the student leaves then. */
export const isBusy = (model: Model, clazz: number, student: number, since: number, leaving = -1): boolean => {
  const theirs = model.lessons.flatMap((it, index) =>
    it.clazz === clazz && it.status !== 'cancelled' && it.starts >= since ? [{ it, index }] : [],
  );
  const isLasting = (index: number): boolean => {
    const it = elementAt(model.lessons, index);
    if (isExcused(model, index, student)) return false;
    if (it.clazz !== leaving || it.starts < since) return true;
    return seatAt(model, index, student).mark !== null || isGuest(model, index, student);
  };
  return theirs.some(
    ({ it, index }) =>
      theirs.some((other) => other.index !== index && overlap(it, other.it)) ||
      (!hasLeave(model, index, student, true) &&
        clashingLessons(model, it, student).some(
          (other) => elementAt(model.lessons, other).clazz !== clazz && isLasting(other),
        )),
  );
};

/** The students with a seat at a lesson: members, suspended students and guests. */
const seated = (model: Model, lesson: number): number[] => {
  const { clazz, starts } = elementAt(model.lessons, lesson);
  const { enrolments } = elementAt(model.clazzes, clazz);
  return model.students.flatMap((_student, index) => {
    const isSuspended = enrolments.some(
      (it) => it.student === index && it.status === 'suspended' && it.since <= starts,
    );
    return isSuspended || isMember(model, lesson, index) || isGuest(model, lesson, index) ? [index] : [];
  });
};

/** Whether a student has a seat at a lesson. A cancelled lesson has no seats. */
export const hasSeat = (model: Model, lesson: number, student: number): boolean =>
  elementAt(model.lessons, lesson).status !== 'cancelled' && seated(model, lesson).includes(student);

const hasGuests = (model: Model, lesson: number): boolean => model.leaves.some((it) => it.credit?.lesson === lesson);

/** The taken seats of a class from `since` on, without guest seats of the joining students. */
export const takenSeats = (model: Model, clazz: number, since: number, joining: readonly number[] = []): number => {
  const { enrolments } = elementAt(model.clazzes, clazz);
  const enrolled = enrolments.filter(({ status }) => status === 'active' || status === 'suspended').length;
  const taken = model.lessons.map((it, index) =>
    it.clazz === clazz && it.starts >= since && it.status !== 'cancelled' && hasGuests(model, index)
      ? seated(model, index).filter((student) => !joining.includes(student)).length
      : 0,
  );
  return Math.max(enrolled, ...taken);
};

/** The free seats of a class from `since` on, for the joining students. */
export const freeSeats = (model: Model, clazz: number, since: number, joining: readonly number[] = []): number => {
  const { capacity } = elementAt(model.clazzes, clazz);
  return capacity === null
    ? Number.POSITIVE_INFINITY
    : Math.max(0, capacity - takenSeats(model, clazz, since, joining));
};

/** Whether a suspended membership of a student could not be resumed beside one of a class from `since` on. */
const blocksResuming = (model: Model, clazz: number, student: number, since: number): boolean => {
  const isSuspended = ({ enrolments }: Clazz): boolean =>
    enrolments.some((it) => it.student === student && it.status === 'suspended');
  const ahead = model.lessons.filter(
    (it, index) => it.status !== 'cancelled' && it.starts >= since && !hasLeave(model, index, student, true),
  );
  const others = ahead.filter((it) => it.clazz !== clazz && isSuspended(elementAt(model.clazzes, it.clazz)));
  return ahead.some((it) => it.clazz === clazz && others.some((other) => overlap(it, other)));
};

/** The waiting students, in order, who could be given these free seats from `since` on. */
export const promotable = (model: Model, clazz: number, since: number, free: number): Enrolment[] =>
  elementAt(model.clazzes, clazz)
    .enrolments.filter(
      ({ status, student }) =>
        status === 'waiting' && !isBusy(model, clazz, student, since) && !blocksResuming(model, clazz, student, since),
    )
    .slice(0, free);

/** Refuses a guest if the lesson has no free seat. */
export const requireSeat = (model: Model, lesson: number, student: number): void => {
  const { capacity } = elementAt(model.clazzes, elementAt(model.lessons, lesson).clazz);
  const others = seated(model, lesson).filter((one) => one !== student);
  if (capacity !== null && others.length >= capacity) throw new Problem('clazz_full');
};

export const isOverfull = (model: Model, lesson: number): boolean => {
  const { capacity } = elementAt(model.clazzes, elementAt(model.lessons, lesson).clazz);
  return capacity !== null && hasGuests(model, lesson) && seated(model, lesson).length > capacity;
};

/**
 * Whether a mark is missing at a held lesson. A guest needs a mark. A member needs one if the enrolment was stored before
 * the roll call, or if the member had a mark.
 */
export const isMarkMissing = (model: Model, lesson: number, student: number): boolean => {
  const { clazz, starts, status, called } = elementAt(model.lessons, lesson);
  const { mark, wasMarked } = seatAt(model, lesson, student);
  if (status !== 'held' || called === null || mark !== null) return false;
  if (isGuest(model, lesson, student)) return true;
  const enrolment = memberOf(elementAt(model.clazzes, clazz), student, starts);
  return enrolment !== undefined && (enrolment.made <= called || wasMarked);
};
