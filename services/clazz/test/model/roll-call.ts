import { type Mark, Problem } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { restoreRegainedBookings, type LostBooking } from './leave.ts';
import { isListed, leaveAt } from './membership-queries.ts';
import { forgetRollCall } from './lesson-status.ts';
import { requireWindow } from './edit-window.ts';
import { deriveConsequences, setMark, withdrawMark } from './seat-changes.ts';
import { elementAt, clazzOf, type Model, requireOpen, type Caller } from './state.ts';

/** The input for one student: a mark, its withdrawal, or nothing. */
export type MarkInput = Mark | 'withdrawn' | null;

/** A teacher may withdraw an own mark for 10 minutes. Any other mark is withdrawn by a supervisor, with a reason. */
const requireWithdrawer = (model: Model, lesson: number, marks: readonly MarkInput[], caller: Caller): void => {
  if (!marks.includes('withdrawn')) return;
  if (caller.role === 'teacher') {
    const isFree = elementAt(model.lessons, lesson).seats.every(({ mark, marked }, student) => {
      if (marks[student] !== 'withdrawn' || mark === null) return true;
      return marked !== null && marked.by === 'teacher' && model.now <= marked.at + 10 * MINUTE_MS;
    });
    if (!isFree) throw new Problem('forbidden');
  } else if (!caller.reason) throw new Problem('invalid_request');
};

/** Whether the withdrawals of a teacher leave no mark but those of approved leave. */
const isUndone = (model: Model, lesson: number, marks: readonly MarkInput[], caller: Caller): boolean => {
  const { status, seats } = elementAt(model.lessons, lesson);
  const isWithdrawn = (student: number): boolean => marks[student] === 'withdrawn';
  return (
    status === 'held' &&
    caller.role === 'teacher' &&
    seats.some(({ mark }, student) => mark !== null && isWithdrawn(student)) &&
    seats.every(
      ({ mark }, student) =>
        mark === null ||
        isWithdrawn(student) ||
        (mark === 'leave' && leaveAt(model, lesson, student)?.status === 'approved'),
    )
  );
};

/** Takes a roll call with the input of each student. Returns the bookings that were not restored. */
export const rollCall = (model: Model, lesson: number, marks: readonly MarkInput[], caller: Caller): LostBooking[] => {
  const it = elementAt(model.lessons, lesson);
  requireWithdrawer(model, lesson, marks, caller);
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  const named = marks.flatMap((mark, student) => (mark === null ? [] : [student]));
  const onlyWithdraws = named.length > 0 && named.every((student) => marks[student] === 'withdrawn');
  if (model.now < it.starts - 15 * MINUTE_MS && !onlyWithdraws) throw new Problem('roll_call_too_early');
  requireWindow(model, it, caller);
  if (named.some((student) => !isListed(model, lesson, student))) throw new Problem('not_found');
  if (named.length === 0 && it.seats.some((_seat, student) => isListed(model, lesson, student))) {
    throw new Problem('invalid_request');
  }
  const withdrawn = model.leaves.filter((one) => one.lesson === lesson && one.credit?.status === 'withdrawn');
  if (onlyWithdraws && isUndone(model, lesson, marks, caller)) {
    forgetRollCall(model, lesson);
    it.seats.forEach((_seat, student) => withdrawMark(model, lesson, student));
    return restoreRegainedBookings(model, withdrawn);
  }
  if (it.status === 'held' || !onlyWithdraws) {
    it.status = 'held';
    it.called ??= model.now;
  }
  marks.forEach((mark, student) => {
    if (mark === 'withdrawn') withdrawMark(model, lesson, student);
    else if (mark === null) deriveConsequences(model, lesson, student);
    else setMark(model, lesson, student, mark);
  });
  return restoreRegainedBookings(model, withdrawn);
};
