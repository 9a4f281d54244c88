import { type Mark, Problem } from '@teaching/contracts';
import { DAY_MS, MINUTE_MS } from '@teaching/kit';
import { isListed } from './places.ts';
import { setMark, follow } from './seats.ts';
import { at, clazzOf, type Lesson, type Model, requireOpen, type Who } from './state.ts';

/** After the edit window only a supervisor changes what follows from a lesson, and says why. */
export const requireWindow = (model: Model, { ends }: Lesson, who: Who): void => {
  if (model.now <= ends + model.rules.windowDays * DAY_MS) return;
  if (who.role === 'teacher') throw new Problem('edit_window_over');
  if (!who.reason) throw new Problem('invalid_request');
};

/** The marks of a roll call by student; `null` is nothing said. */
export const rollCall = (model: Model, lesson: number, marks: readonly (Mark | null)[], who: Who): void => {
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
  it.status = 'held';
  it.called ??= model.now;
  marks.forEach((mark, student) => {
    if (mark === null) follow(model, lesson, student);
    else setMark(model, lesson, student, mark);
  });
};
