import type { Mark } from '@teaching/contracts';
import { recharge } from './hours.ts';
import { isMemberOrMarked, isListed, isOpenLeave, isMember, leaveAt } from './membership-queries.ts';
import { elementAt, type Leave, type ChargeLine, type Model, seatAt } from './state.ts';

/**
 * Charges a seat again by the current policy, if its charge line or the hours of its lesson changed. Returns whether they
 * changed.
 */
const charge = (model: Model, lesson: number, student: number, line: ChargeLine | null): boolean => {
  const { hours } = elementAt(model.lessons, lesson);
  const seat = seatAt(model, lesson, student);
  if (line === seat.line && (line === null || seat.sold === hours)) return false;
  const amount = line === null ? 0 : Math.floor((hours * model.rules.shares[line] + 50) / 100);
  if (amount > 0 || seat.charged > 0) {
    elementAt(model.lessons, lesson).used = true;
    recharge(model, lesson, student, amount);
  }
  Object.assign(seat, { line, sold: hours, charged: amount });
  return true;
};

/** The charge line of a mark. Leave is in time only if it was approved and requested in time. */
const lineOf = (model: Model, lesson: number, student: number, mark: Mark | null): ChargeLine | null => {
  if (mark !== 'leave') return mark;
  const leave = leaveAt(model, lesson, student);
  return leave?.status === 'approved' && leave.in_time ? 'leave_in_time' : 'leave_late';
};

/** Sets a mark with its charge, and updates the credit of a leave from the lesson. */
export const setMark = (
  model: Model,
  lesson: number,
  student: number,
  mark: Mark | null,
  line = lineOf(model, lesson, student, mark),
): void => {
  const seat = seatAt(model, lesson, student);
  if (mark !== null) {
    seat.wasMarked = true;
    elementAt(model.lessons, lesson).used = true;
  }
  const isChanged = seat.mark !== mark;
  seat.mark = mark;
  if (charge(model, lesson, student, line) || isChanged) seat.marked = { by: model.actor, at: model.now };
  for (const it of model.leaves) if (it.lesson === lesson && it.student === student) updateCredit(model, it);
};

/** Ends the booking and stores it as `ended`, so that it can be restored. */
export const unbook = (model: Model, { credit, student }: Leave): void => {
  if (credit === null || credit.lesson === null) return;
  model.freed.lessons.add(credit.lesson);
  model.freed.students.add(student);
  credit.ended = credit.ended.filter((ended) => ended.lesson !== credit.lesson);
  credit.ended.push({ lesson: credit.lesson, at: model.now });
  credit.lesson = null;
};

/** Updates a credit: it exists while its student is on leave. A make-up with a mark stays. */
const updateCredit = (model: Model, leave: Leave): void => {
  const { credit } = leave;
  if (credit === null) return;
  const { mark } = seatAt(model, leave.lesson, leave.student);
  const isEarned = leave.status === 'approved' && (mark === null || mark === 'leave');
  if (isEarned) {
    if (credit.status === 'withdrawn') credit.status = 'available';
    return;
  }
  if (credit.lesson !== null && seatAt(model, credit.lesson, leave.student).mark !== null) return;
  unbook(model, leave);
  if (credit.status !== 'withdrawn') credit.withdrawn = model.now;
  credit.status = 'withdrawn';
};

/** Derives leave, credit and mark of a student. Leave ends with its lesson or membership, and is the mark once held. */
export const deriveConsequences = (model: Model, lesson: number, student: number): void => {
  const it = elementAt(model.lessons, lesson);
  const isMarkedMember = isMemberOrMarked(model, lesson, student);
  for (const leave of model.leaves) {
    if (leave.lesson !== lesson || leave.student !== student) continue;
    const hasLeft = leave.was !== null && leave.left !== null;
    const isValid = it.status !== 'cancelled' && isMarkedMember && !hasLeft;
    if (isValid && leave.was !== null) {
      if (leave.was === 'approved') model.freed.students.add(student);
      Object.assign(leave, { status: leave.was, was: null });
    } else if (!isValid && isOpenLeave(leave)) Object.assign(leave, { was: leave.status, status: 'cancelled' });
    updateCredit(model, leave);
  }
  const isOnLeave = leaveAt(model, lesson, student)?.status === 'approved';
  const { mark } = seatAt(model, lesson, student);
  if (it.status === 'held' && mark === null && isOnLeave && isListed(model, lesson, student)) {
    setMark(model, lesson, student, 'leave');
  } else if (mark !== null) setMark(model, lesson, student, mark);
};

/** Withdraws a mark: approved leave becomes the mark again, and a former member is no longer listed. */
export const withdrawMark = (model: Model, lesson: number, student: number): void => {
  const isOnLeave = isMember(model, lesson, student) && leaveAt(model, lesson, student)?.status === 'approved';
  const isHeld = elementAt(model.lessons, lesson).status === 'held';
  setMark(model, lesson, student, isHeld && isOnLeave ? 'leave' : null);
  deriveConsequences(model, lesson, student);
};

/** Removes the marks of a cancelled lesson, and charges its members by the line of the cancellation. */
export const cancelSeats = (model: Model, lesson: number, line: ChargeLine): void => {
  model.students.forEach((_student, student) => {
    const isOnLeave = leaveAt(model, lesson, student)?.status === 'approved';
    const isCharged = isMember(model, lesson, student) && !isOnLeave;
    setMark(model, lesson, student, null, isCharged ? line : null);
    deriveConsequences(model, lesson, student);
  });
  for (const leave of model.leaves.filter((one) => one.credit?.lesson === lesson)) {
    unbook(model, leave);
    if (leave.credit !== null) leave.credit.status = 'available';
  }
};

/** Removes the charges of a cancellation and derives all seats of a restored lesson. */
export const restoreSeats = (model: Model, lesson: number): void =>
  model.students.forEach((_student, student) => {
    charge(model, lesson, student, null);
    deriveConsequences(model, lesson, student);
  });
