import { Problem } from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
import type { Lesson, Model, Caller } from './state.ts';

/** After the edit window, only a supervisor with a reason may change what is derived from a lesson. */
export const requireWindow = (model: Model, { ends }: Lesson, caller: Caller): void => {
  if (model.now <= ends + model.rules.windowDays * DAY_MS) return;
  if (caller.role === 'teacher') throw new Problem('edit_window_over');
  if (!caller.reason) throw new Problem('invalid_request');
};
