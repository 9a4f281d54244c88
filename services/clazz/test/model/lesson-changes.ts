import { Problem } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { hasStudentClash } from './completion.ts';
import { withoutLimit } from './hours.ts';
import { restoreBookings, type LostBooking } from './leave.ts';
import { cancelOne, scheduleOne } from './lesson-status.ts';
import { clashingLessons, isExcused, isGuest, isOverfull, leaveAt } from './membership-queries.ts';
import { recordFreeSeat } from './membership.ts';
import { requireWindow } from './edit-window.ts';
import { cancelSeats, deriveConsequences, restoreSeats, setMark } from './seat-changes.ts';
import { promoteWaiting } from './waiting-list.ts';
import { elementAt, clazzOf, type Lesson, type Model, newLesson, requireOpen, type Caller } from './state.ts';

export const addLesson = (
  model: Model,
  facts: Pick<Lesson, 'clazz' | 'teacher' | 'starts' | 'ends' | 'hours'>,
): void => {
  requireOpen(elementAt(model.clazzes, facts.clazz));
  model.lessons.push(newLesson(model, facts));
  if (hasStudentClash(model, model.lessons.length - 1)) throw new Problem('schedule_conflict');
};

export const cancelLesson = (model: Model, lesson: number, by: 'teacher' | 'org'): void => {
  const it = elementAt(model.lessons, lesson);
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  cancelOne(model, lesson);
  withoutLimit(model, () => cancelSeats(model, lesson, `cancelled_by_${by}`));
};

/** Whether a lesson was created in the last 10 minutes, has not begun and was never used. */
export const isRemovable = ({ now }: Model, { created, starts, used }: Lesson): boolean =>
  now - created <= 10 * MINUTE_MS && starts > now && !used;

/** Removes a new lesson. Its students and those who wait for its class may then get a seat. */
export const removeLesson = (model: Model, lesson: number): void => {
  const it = elementAt(model.lessons, lesson);
  const { enrolments } = clazzOf(model, lesson);
  requireOpen(clazzOf(model, lesson));
  if (!isRemovable(model, it)) throw new Problem('lesson_in_use');
  for (const { student, periods } of enrolments) if (periods.length > 0) recordFreeSeat(model, it.clazz, student);
  model.freed.clazzes.add(it.clazz);
  // Records refer to lessons by index, so the model removes the last one only.
  if (lesson !== model.lessons.length - 1) throw new Error('only the last lesson can be removed');
  model.lessons.pop();
};

/** The scheduled lessons of open classes that overlap a range and that `isMeant` selects, by start. */
const scheduledLessons = (
  model: Model,
  { from, to }: { from: number; to: number },
  isMeant: (lesson: Lesson) => boolean,
): number[] =>
  model.lessons
    .flatMap((it, index) =>
      it.status === 'scheduled' &&
      it.starts < to &&
      it.ends > from &&
      clazzOf(model, index).status === 'active' &&
      isMeant(it)
        ? [index]
        : [],
    )
    .toSorted((a, b) => elementAt(model.lessons, a).starts - elementAt(model.lessons, b).starts);

/** Cancels the scheduled lessons of a range, class by class, or those of one class. Returns the cancelled lessons. */
export const closeLessons = (model: Model, span: { from: number; to: number }, clazz: number | null): number[] => {
  const lessons = scheduledLessons(model, span, (it) => clazz === null || it.clazz === clazz);
  const clazzes = new Set(lessons.map((index) => elementAt(model.lessons, index).clazz));
  for (const one of clazzes) {
    // A promotion after another class was closed does not add lessons, so the selected lessons stay the same.
    for (const index of lessons.filter((it) => elementAt(model.lessons, it).clazz === one)) {
      cancelOne(model, index);
      withoutLimit(model, () => cancelSeats(model, index, 'cancelled_by_org'));
    }
    promoteWaiting(model);
  }
  return lessons;
};

/** Gives the scheduled lessons of a teacher in a range to another teacher. Returns these lessons. */
export const substitute = (
  model: Model,
  teacher: string,
  span: { from: number; to: number },
  other: string,
): number[] => {
  const lessons = scheduledLessons(model, span, (it) => it.teacher === teacher);
  for (const index of lessons) elementAt(model.lessons, index).teacher = other;
  return lessons;
};

/** Sets a held lesson back to scheduled, if its only marks come from approved leave. */
const undoRollCall = (model: Model, lesson: number): void => {
  const { seats } = elementAt(model.lessons, lesson);
  const hasMarks = seats.some(
    ({ mark }, student) =>
      mark !== null && (mark !== 'leave' || leaveAt(model, lesson, student)?.status !== 'approved'),
  );
  if (hasMarks) throw new Problem('invalid_transition');
  scheduleOne(model, lesson);
  seats.forEach((_seat, student) => {
    setMark(model, lesson, student, null);
    deriveConsequences(model, lesson, student);
  });
};

/** Restores a cancelled lesson, or a held lesson without marks. Returns the bookings that were not restored. */
export const restoreLesson = (model: Model, lesson: number): LostBooking[] => {
  const it = elementAt(model.lessons, lesson);
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'scheduled') throw new Problem('invalid_transition');
  if (it.status === 'held') {
    undoRollCall(model, lesson);
    return [];
  }
  if (hasStudentClash(model, lesson)) throw new Problem('schedule_conflict');
  scheduleOne(model, lesson);
  restoreSeats(model, lesson);
  return restoreBookings(model, it.clazz, it.cancelled ?? 0, { lesson });
};

/** Changes the hours of a lesson, and with them the charge of every mark. */
export const changeHours = (model: Model, lesson: number, hours: number, caller: Caller): void => {
  const it = elementAt(model.lessons, lesson);
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  if (it.hours === hours) return;
  if (it.status === 'held') requireWindow(model, it, caller);
  it.hours = hours;
  model.students.forEach((_student, student) => deriveConsequences(model, lesson, student));
};

/** Moves a lesson with its bookings. Leave ends if its student is not a member at the new time. */
export const moveLesson = (model: Model, lesson: number, starts: number): void => {
  const it = elementAt(model.lessons, lesson);
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  if (it.starts === starts) return;
  if (it.status === 'held') throw new Problem('invalid_transition');
  model.freed.lessons.add(lesson);
  it.ends += starts - it.starts;
  it.starts = starts;
  const isGuestElsewhere = model.students.some(
    (_student, student) =>
      isGuest(model, lesson, student) &&
      clashingLessons(model, it, student).some((other) => !isExcused(model, other, student)),
  );
  if (isGuestElsewhere || hasStudentClash(model, lesson)) throw new Problem('schedule_conflict');
  if (isOverfull(model, lesson)) throw new Problem('clazz_full');
  model.students.forEach((_student, student) => deriveConsequences(model, lesson, student));
};
