import { Problem } from '@teaching/contracts';
import { withoutLimit } from './hours.ts';
import { restoreBookings, type LostBooking } from './leave.ts';
import { freeSeats, isBusy, isMember, promotable, takenSeats } from './membership-queries.ts';
import { requireWindow } from './edit-window.ts';
import { deriveConsequences } from './seat-changes.ts';
import { elementAt, type Clazz, type Enrolment, type Leave, type Model, requireOpen, type Caller } from './state.ts';

const FOREVER = Number.POSITIVE_INFINITY;
export const OPEN_STATUSES: readonly Enrolment['status'][] = ['waiting', 'active', 'suspended'];

const openEnrolmentOf = ({ enrolments }: Clazz, student: number): Enrolment | undefined =>
  enrolments.find((it) => it.student === student && OPEN_STATUSES.includes(it.status));

/** The open enrolment of a student, else the last one. */
const enrolmentOf = (clazz: Clazz, student: number): Enrolment => {
  const found = openEnrolmentOf(clazz, student) ?? clazz.enrolments.findLast((it) => it.student === student);
  if (found === undefined) throw new Problem('not_found');
  return found;
};

/** Derives leave and marks of a student again at all lessons of a class. */
const deriveLessons = (model: Model, clazz: number, student: number): void =>
  model.lessons.forEach((it, index) => {
    if (it.clazz === clazz) deriveConsequences(model, index, student);
  });

/** The leaves of a student from the lessons of a class that begin at `since` or later. */
const leavesSince = (model: Model, clazz: number, student: number, since: number): Leave[] =>
  model.leaves.filter((it) => {
    const lesson = elementAt(model.lessons, it.lesson);
    return it.student === student && lesson.clazz === clazz && lesson.starts >= since;
  });

/** Derives the consequences of a new enrolment. It replaces an ended one, so leave from its lessons is restored. */
export const deriveJoined = (model: Model, clazz: number, student: number, since = model.now): void => {
  for (const leave of leavesSince(model, clazz, student, Math.min(since, model.now)))
    if (isMember(model, leave.lesson, student)) leave.left = null;
  deriveLessons(model, clazz, student);
};

/**
 * Derives the consequences of an enrolment that is active again from `since` on. Leave that ended with it is restored,
 * wherever its lesson is now, unless the lesson was moved into the ended membership and held there.
 */
export const deriveResumed = (model: Model, clazz: number, it: Enrolment, since = model.now): void => {
  for (const leave of leavesSince(model, clazz, it.student, -FOREVER)) {
    const { starts, status } = elementAt(model.lessons, leave.lesson);
    const wasHeld = status === 'held' && starts < (it.ended ?? 0);
    if (leave.left === it.made && !wasHeld) leave.left = null;
  }
  deriveJoined(model, clazz, it.student, since);
};

/**
 * Ends a membership now, with its leave, which moving its lesson does not restore. A period that has not begun is removed.
 */
export const endMembership = (model: Model, clazz: number, it: Enrolment): void => {
  const wasActive = it.periods.some(({ to }) => to === FOREVER);
  if (wasActive) it.ended = model.now;
  for (const period of it.periods) if (period.to === FOREVER) period.to = model.now;
  it.periods = it.periods.filter(({ from, to }) => from < to);
  const leaves = wasActive ? leavesSince(model, clazz, it.student, model.now) : [];
  for (const leave of leaves) if (!isMember(model, leave.lesson, it.student)) leave.left ??= it.made;
  deriveLessons(model, clazz, it.student);
};

const requireStatus = (it: Enrolment, status: Enrolment['status'][]): void => {
  if (!status.includes(it.status)) throw new Problem('invalid_transition');
};

/** Records a free seat in a class and free time of a student. Waiting students are tried for either. */
export const recordFreeSeat = ({ freed }: Model, clazz: number, student: number): void => {
  freed.clazzes.add(clazz);
  freed.students.add(student);
};

/** Derives the consequences of an enrolment. A backdated one may change held lessons only within their edit window. */
const deriveEnrolment = (model: Model, clazz: number, student: number, since: number, caller: Caller): void => {
  const snapshot = (): string[] =>
    model.lessons.map((it, index) =>
      JSON.stringify([elementAt(it.seats, student), model.leaves.filter((one) => one.lesson === index)]),
    );
  const before = snapshot();
  const work = (): void => deriveJoined(model, clazz, student, since);
  if (since < model.now) work();
  else withoutLimit(model, work);
  if (since >= model.now) return;
  const after = snapshot();
  model.lessons.forEach((it, index) => {
    if (it.status === 'held' && before[index] !== after[index]) requireWindow(model, it, caller);
  });
};

export interface EnrolmentRequest {
  students: readonly number[];
  since: number;
  waitlist: boolean;
}

/** How many of the students, in order, get a seat. The own seat of a guest is free only if the guest is among them. */
const countPlaced = (model: Model, clazz: number, since: number, students: readonly number[]): number => {
  // A seat that is free later only is reserved for a waiting student. One that is free now was given before.
  const reserved = since > model.now ? promotable(model, clazz, since, freeSeats(model, clazz, since)).length : 0;
  const free = freeSeats(model, clazz, since, students) - reserved;
  return students.length <= free ? students.length : countPlaced(model, clazz, since, students.slice(0, free));
};

export const enrol = (
  model: Model,
  clazz: number,
  { students, since, waitlist }: EnrolmentRequest,
  caller: Caller,
): void => {
  const it = elementAt(model.clazzes, clazz);
  requireOpen(it);
  const isEnrolled = (student: number): boolean =>
    openEnrolmentOf(it, student) !== undefined ||
    it.enrolments.some((one) => one.student === student && one.periods.some(({ to }) => to > since));
  if (students.some(isEnrolled)) throw new Problem('duplicate');
  const placed = students.slice(0, countPlaced(model, clazz, since, students));
  if (placed.length < students.length && !waitlist) throw new Problem('clazz_full');
  if (placed.some((student) => isBusy(model, clazz, student, since))) throw new Problem('schedule_conflict');
  for (const student of students) {
    const isPlaced = placed.includes(student);
    it.enrolments.push({
      student,
      status: isPlaced ? 'active' : 'waiting',
      since: isPlaced ? since : model.now,
      made: model.now,
      periods: isPlaced ? [{ from: since, to: FOREVER }] : [],
    });
  }
  for (const student of placed) deriveEnrolment(model, clazz, student, since, caller);
};

export const suspend = (model: Model, clazz: number, student: number): void => {
  requireOpen(elementAt(model.clazzes, clazz));
  const it = enrolmentOf(elementAt(model.clazzes, clazz), student);
  requireStatus(it, ['active']);
  it.status = 'suspended';
  endMembership(model, clazz, it);
};

/** Resumes a membership from now on, or from its start if that is later. Restores leave and bookings. */
export const resume = (model: Model, clazz: number, student: number): LostBooking[] => {
  requireOpen(elementAt(model.clazzes, clazz));
  const it = enrolmentOf(elementAt(model.clazzes, clazz), student);
  requireStatus(it, ['suspended']);
  const since = Math.max(it.since, model.now);
  if (isBusy(model, clazz, student, since)) throw new Problem('schedule_conflict');
  it.status = 'active';
  it.periods.push({ from: since, to: FOREVER });
  withoutLimit(model, () => deriveResumed(model, clazz, it));
  return restoreBookings(model, clazz, it.ended ?? 0, { student });
};

export const withdraw = (model: Model, clazz: number, student: number): void => {
  requireOpen(elementAt(model.clazzes, clazz));
  const it = enrolmentOf(elementAt(model.clazzes, clazz), student);
  requireStatus(it, ['waiting', 'active', 'suspended']);
  if (it.status !== 'waiting') recordFreeSeat(model, clazz, student);
  it.status = 'withdrawn';
  endMembership(model, clazz, it);
};

export const transfer = (model: Model, clazz: number, to: number, student: number): void => {
  const [source, target] = [elementAt(model.clazzes, clazz), elementAt(model.clazzes, to)];
  requireOpen(source);
  requireOpen(target);
  const it = enrolmentOf(source, student);
  requireStatus(it, ['active', 'suspended']);
  if (openEnrolmentOf(target, student) !== undefined) throw new Problem('duplicate');
  if (freeSeats(model, to, model.now, [student]) < 1) throw new Problem('clazz_full');
  if (isBusy(model, to, student, model.now, clazz)) throw new Problem('schedule_conflict');
  it.status = 'transferred';
  recordFreeSeat(model, clazz, student);
  endMembership(model, clazz, it);
  const period = { from: model.now, to: FOREVER };
  target.enrolments.push({ student, status: 'active', since: model.now, made: model.now, periods: [period] });
  withoutLimit(model, () => deriveJoined(model, to, student));
};

/** Sets the capacity, which must not be below the taken seats. */
export const setCapacity = (model: Model, clazz: number, capacity: number | null): void => {
  const it = elementAt(model.clazzes, clazz);
  requireOpen(it);
  if (it.capacity === capacity) return;
  if (capacity !== null && takenSeats(model, clazz, model.now) > capacity) {
    throw new Problem('capacity_below_enrolled');
  }
  it.capacity = capacity;
  model.freed.clazzes.add(clazz);
};
