import { type Mark, Problem } from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { bookRegained, type Lost } from './leave.ts';
import { isListed } from './places.ts';
import { requireWindow } from './window.ts';
import { setMark, follow } from './seats.ts';
import { at, clazzOf, type Model, requireOpen, type Who } from './state.ts';

/** The marks of a roll call by student; `null` is nothing said. Answers bookings that did not return. */
export const rollCall = (model: Model, lesson: number, marks: readonly (Mark | null)[], who: Who): Lost[] => {
  const it = at(model.lessons, lesson);
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
  it.status = 'held';
  it.called ??= model.now;
  marks.forEach((mark, student) => {
    if (mark === null) follow(model, lesson, student);
    else setMark(model, lesson, student, mark);
  });
  return bookRegained(model, withdrawn);
};
