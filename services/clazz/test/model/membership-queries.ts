import { Problem } from '@teaching/contracts';
import { at, type Clazz, type Lesson, type Leave, type Model, seatAt } from './state.ts';

/** Who belongs where, who has to be where, and who has a seat. */

/** The enrolment by which a student belongs to a class at a moment. */
export const memberOf = (clazz: Clazz, student: number, moment: number) =>
  clazz.enrolments.find(
    (it) => it.student === student && it.periods.some(({ from, to }) => from <= moment && moment < to),
  );

export const isMember = (model: Model, lesson: number, student: number): boolean => {
  const { clazz, starts } = at(model.lessons, lesson);
  return memberOf(at(model.clazzes, clazz), student, starts) !== undefined;
};

/** The credit that a student makes up with at a lesson. */
export const isGuest = (model: Model, lesson: number, student: number): boolean =>
  model.leaves.some((it) => it.student === student && it.credit?.lesson === lesson);

/** Belongs to the lesson, or keeps a mark there after leaving. */
export const belongs = (model: Model, lesson: number, student: number): boolean =>
  isMember(model, lesson, student) ||
  (seatAt(model, lesson, student).mark !== null && !isGuest(model, lesson, student));

export const isListed = (model: Model, lesson: number, student: number): boolean =>
  belongs(model, lesson, student) || isGuest(model, lesson, student);

export const isLiving = ({ status }: Leave): boolean => status === 'pending' || status === 'approved';

export const leaveAt = (model: Model, lesson: number, student: number): Leave | undefined =>
  model.leaves.find((it) => it.lesson === lesson && it.student === student && isLiving(it));

/** Away with leave, or would be if the leave returned. */
export const isExcused = (model: Model, lesson: number, student: number): boolean =>
  model.leaves.some(
    (it) => it.lesson === lesson && it.student === student && (it.status === 'approved' || it.was === 'approved'),
  );

const overlap = (a: Lesson, b: Lesson): boolean => a.starts < b.ends && b.starts < a.ends;

/** Lessons at the time of this one that a student stands in, by index. */
export const elsewhere = (model: Model, lesson: Lesson, student: number): number[] =>
  model.lessons.flatMap((it, index) =>
    it !== lesson && it.status !== 'cancelled' && overlap(it, lesson) && isListed(model, index, student) ? [index] : [],
  );

/** Whoever makes up, or is no more on leave, must not be at another lesson; the missed one is none. */
export const requireFree = (model: Model, lesson: number, student: number, but: number | null = null): void => {
  const others = elsewhere(model, at(model.lessons, lesson), student);
  if (others.some((index) => index !== but && !isExcused(model, index, student))) {
    throw new Problem('schedule_conflict');
  }
};

/** Whether lessons keep a student from the lessons of a class from a moment on; `leaving` is a class they leave then. */
export const isBusy = (model: Model, clazz: number, student: number, since: number, leaving = -1): boolean => {
  const theirs = model.lessons.flatMap((it, index) =>
    it.clazz === clazz && it.status !== 'cancelled' && it.starts >= since ? [{ it, index }] : [],
  );
  const stays = (index: number): boolean => {
    const it = at(model.lessons, index);
    if (isExcused(model, index, student)) return false;
    if (it.clazz !== leaving || it.starts < since) return true;
    return seatAt(model, index, student).mark !== null || isGuest(model, index, student);
  };
  return theirs.some(
    ({ it, index }) =>
      theirs.some((other) => other.index !== index && overlap(it, other.it)) ||
      (!isExcused(model, index, student) &&
        elsewhere(model, it, student).some((other) => at(model.lessons, other).clazz !== clazz && stays(other))),
  );
};

/** Everybody with a seat at a lesson: members, who is suspended and keeps it, guests. */
const seated = (model: Model, lesson: number): number[] => {
  const { clazz, starts } = at(model.lessons, lesson);
  const { enrolments } = at(model.clazzes, clazz);
  return model.students.flatMap((_student, index) => {
    const keeps = enrolments.some((it) => it.student === index && it.status === 'suspended' && it.since <= starts);
    return keeps || isMember(model, lesson, index) || isGuest(model, lesson, index) ? [index] : [];
  });
};

const hasGuests = (model: Model, lesson: number): boolean => model.leaves.some((it) => it.credit?.lesson === lesson);

/** Seats of a class that are taken from a moment on, for somebody who is joining. */
export const placesTaken = (model: Model, clazz: number, since: number, joining: readonly number[] = []): number => {
  const { enrolments } = at(model.clazzes, clazz);
  const enrolled = enrolments.filter(({ status }) => status === 'active' || status === 'suspended').length;
  const taken = model.lessons.map((it, index) =>
    it.clazz === clazz && it.starts >= since && it.status !== 'cancelled' && hasGuests(model, index)
      ? seated(model, index).filter((student) => !joining.includes(student)).length
      : 0,
  );
  return Math.max(enrolled, ...taken);
};

/** Free seats of a class from a moment on, for somebody who is joining. */
export const freeSeats = (model: Model, clazz: number, since: number, joining: readonly number[] = []): number => {
  const { capacity } = at(model.clazzes, clazz);
  return capacity === null
    ? Number.POSITIVE_INFINITY
    : Math.max(0, capacity - placesTaken(model, clazz, since, joining));
};

/** A seat at one lesson for somebody who makes up there. */
export const requireSeat = (model: Model, lesson: number, student: number): void => {
  const { capacity } = at(model.clazzes, at(model.lessons, lesson).clazz);
  const others = seated(model, lesson).filter((one) => one !== student);
  if (capacity !== null && others.length >= capacity) throw new Problem('clazz_full');
};

export const isOverfull = (model: Model, lesson: number): boolean => {
  const { capacity } = at(model.clazzes, at(model.lessons, lesson).clazz);
  return capacity !== null && hasGuests(model, lesson) && seated(model, lesson).length > capacity;
};

/** A held lesson misses the mark of everybody listed who was entered before its roll call was taken, or had one. */
export const isMissed = (model: Model, lesson: number, student: number): boolean => {
  const { clazz, starts, status, called } = at(model.lessons, lesson);
  const { mark, wasMarked } = seatAt(model, lesson, student);
  if (status !== 'held' || called === null || mark !== null) return false;
  if (isGuest(model, lesson, student)) return true;
  const enrolment = memberOf(at(model.clazzes, clazz), student, starts);
  return enrolment !== undefined && (enrolment.made <= called || wasMarked);
};
