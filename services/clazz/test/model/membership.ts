import { Problem } from '@teaching/contracts';
import { withoutLimit } from './hours.ts';
import { bookAgain, type LostBooking } from './leave.ts';
import { freeSeats, isBusy, placesTaken } from './membership-queries.ts';
import { requireWindow } from './edit-window.ts';
import { deriveConsequences } from './seat-changes.ts';
import { at, type Clazz, type Enrolment, type Model, requireOpen, type Who } from './state.ts';

const FOREVER = Number.POSITIVE_INFINITY;
export const LIVING: readonly Enrolment['status'][] = ['waiting', 'active', 'suspended'];

const livingOf = ({ enrolments }: Clazz, student: number): Enrolment | undefined =>
  enrolments.find((it) => it.student === student && LIVING.includes(it.status));

/** The living enrolment of a student, else the last one. */
const enrolmentOf = (clazz: Clazz, student: number): Enrolment => {
  const found = livingOf(clazz, student) ?? clazz.enrolments.findLast((it) => it.student === student);
  if (found === undefined) throw new Problem('not_found');
  return found;
};

/** Leave follows who belongs to the lessons of a class. */
export const followStudent = (model: Model, clazz: number, student: number): void =>
  model.lessons.forEach((it, index) => {
    if (it.clazz === clazz) deriveConsequences(model, index, student);
  });

/** Ceases to belong to the class; a time that had not begun is as if it had never been. */
export const leaveClazz = (model: Model, it: Enrolment): void => {
  for (const period of it.periods) if (period.to === FOREVER) period.to = model.now;
  it.periods = it.periods.filter(({ from, to }) => from < to);
};

const from = (it: Enrolment, status: Enrolment['status'][]): void => {
  if (!status.includes(it.status)) throw new Problem('invalid_transition');
};

/** A place in the class and the time of who had it: somebody may wait for either. */
export const freePlace = ({ freed }: Model, clazz: number, student: number): void => {
  freed.clazzes.add(clazz);
  freed.students.add(student);
};

/** What is dated back reaches into lessons that were held like any other correction. */
const followBack = (model: Model, clazz: number, student: number, since: number, who: Who): void => {
  const seen = (): string[] =>
    model.lessons.map((it, index) =>
      JSON.stringify([at(it.seats, student), model.leaves.filter((one) => one.lesson === index)]),
    );
  const before = seen();
  const work = (): void => followStudent(model, clazz, student);
  if (since < model.now) work();
  else withoutLimit(model, work);
  if (since >= model.now) return;
  const after = seen();
  model.lessons.forEach((it, index) => {
    if (it.status === 'held' && before[index] !== after[index]) requireWindow(model, it, who);
  });
};

export interface Joining {
  students: readonly number[];
  since: number;
  waitlist: boolean;
}

export const enrol = (model: Model, clazz: number, { students, since, waitlist }: Joining, who: Who): void => {
  const it = at(model.clazzes, clazz);
  requireOpen(it);
  const isThere = (student: number): boolean =>
    livingOf(it, student) !== undefined ||
    it.enrolments.some((one) => one.student === student && one.periods.some(({ to }) => to > since));
  if (students.some(isThere)) throw new Problem('duplicate');
  const free = freeSeats(model, clazz, since, students);
  if (students.length > free && !waitlist) throw new Problem('clazz_full');
  const placed = students.slice(0, free);
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
  for (const student of placed) followBack(model, clazz, student, since, who);
};

export const suspend = (model: Model, clazz: number, student: number): void => {
  requireOpen(at(model.clazzes, clazz));
  const it = enrolmentOf(at(model.clazzes, clazz), student);
  from(it, ['active']);
  it.status = 'suspended';
  leaveClazz(model, it);
  followStudent(model, clazz, student);
};

/** Who comes back belongs to the class from now on, or from the day it was to begin; leave and bookings return. */
export const resume = (model: Model, clazz: number, student: number): LostBooking[] => {
  requireOpen(at(model.clazzes, clazz));
  const it = enrolmentOf(at(model.clazzes, clazz), student);
  from(it, ['suspended']);
  const since = Math.max(it.since, model.now);
  if (isBusy(model, clazz, student, since)) throw new Problem('schedule_conflict');
  const left = Math.max(0, ...it.periods.map(({ to }) => to));
  it.status = 'active';
  it.periods.push({ from: since, to: FOREVER });
  withoutLimit(model, () => followStudent(model, clazz, student));
  return bookAgain(model, clazz, left, { student });
};

export const withdraw = (model: Model, clazz: number, student: number): void => {
  requireOpen(at(model.clazzes, clazz));
  const it = enrolmentOf(at(model.clazzes, clazz), student);
  from(it, ['waiting', 'active', 'suspended']);
  if (it.status !== 'waiting') freePlace(model, clazz, student);
  it.status = 'withdrawn';
  leaveClazz(model, it);
  followStudent(model, clazz, student);
};

export const transfer = (model: Model, clazz: number, to: number, student: number): void => {
  const [here, there] = [at(model.clazzes, clazz), at(model.clazzes, to)];
  requireOpen(here);
  requireOpen(there);
  const it = enrolmentOf(here, student);
  from(it, ['active', 'suspended']);
  if (livingOf(there, student) !== undefined) throw new Problem('duplicate');
  if (freeSeats(model, to, model.now, [student]) < 1) throw new Problem('clazz_full');
  if (isBusy(model, to, student, model.now, clazz)) throw new Problem('schedule_conflict');
  it.status = 'transferred';
  freePlace(model, clazz, student);
  leaveClazz(model, it);
  followStudent(model, clazz, student);
  const period = { from: model.now, to: FOREVER };
  there.enrolments.push({ student, status: 'active', since: model.now, made: model.now, periods: [period] });
  withoutLimit(model, () => followStudent(model, to, student));
};

/** Another number of places, not fewer than are taken. */
export const setCapacity = (model: Model, clazz: number, capacity: number | null): void => {
  const it = at(model.clazzes, clazz);
  requireOpen(it);
  if (it.capacity === capacity) return;
  if (capacity !== null && placesTaken(model, clazz, model.now) > capacity) {
    throw new Problem('capacity_below_enrolled');
  }
  it.capacity = capacity;
  model.freed.clazzes.add(clazz);
};
