import { type Mark, Problem } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { bookRegained, type LostBooking } from './leave.ts';
import { isListed } from './membership-queries.ts';
import { requireWindow } from './edit-window.ts';
import { deriveConsequences, setMark, withdrawMark } from './seat-changes.ts';
import { at, clazzOf, type Model, requireOpen, type Who } from './state.ts';

/** A mark, that it is withdrawn, or nothing. */
export type MarkInput = Mark | 'withdrawn' | null;

/** The marks of a roll call by student. Answers bookings that did not return. */
export const rollCall = (model: Model, lesson: number, marks: readonly MarkInput[], who: Who): LostBooking[] => {
  const it = at(model.lessons, lesson);
  if (marks.includes('withdrawn')) {
    if (who.role === 'teacher') throw new Problem('forbidden');
    if (!who.reason) throw new Problem('invalid_request');
  }
  requireOpen(clazzOf(model, lesson));
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  if (model.now < it.starts - 15 * MINUTE_MS) throw new Problem('roll_call_too_early');
  requireWindow(model, it, who);
  const named = marks.flatMap((mark, student) => (mark === null ? [] : [student]));
  if (named.some((student) => !isListed(model, lesson, student))) throw new Problem('not_found');
  if (named.length === 0 && it.seats.some((_seat, student) => isListed(model, lesson, student))) {
    throw new Problem('invalid_request');
  }
  const withdrawn = model.leaves.filter((one) => one.lesson === lesson && one.credit?.status === 'withdrawn');
  const marksNobody = named.length > 0 && named.every((student) => marks[student] === 'withdrawn');
  if (it.status === 'held' || !marksNobody) {
    it.status = 'held';
    it.called ??= model.now;
  }
  marks.forEach((mark, student) => {
    if (mark === 'withdrawn') withdrawMark(model, lesson, student);
    else if (mark === null) deriveConsequences(model, lesson, student);
    else setMark(model, lesson, student, mark);
  });
  return bookRegained(model, withdrawn);
};
