import { Problem } from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
import type { Lesson, Model, Who } from './state.ts';

/** After the edit window only a supervisor changes what follows from a lesson, and says why. */
export const requireWindow = (model: Model, { ends }: Lesson, who: Who): void => {
  if (model.now <= ends + model.rules.windowDays * DAY_MS) return;
  if (who.role === 'teacher') throw new Problem('edit_window_over');
  if (!who.reason) throw new Problem('invalid_request');
};
