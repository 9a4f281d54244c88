import { projection } from '../projection.ts';
import { rollCallsTold } from '../roll-calls-told.ts';
import { ROLL_CALL } from './table.ts';

export const rollCalls = projection(ROLL_CALL, {
  keeps: { lowest: 'taken_at' },
  states: function* (batch) {
    for (const { org_id, lesson, marks } of rollCallsTold(batch)) {
      for (const { mark, marked_at } of marks) {
        if (mark !== null) yield { org_id, lesson_id: lesson.id, taken_at: marked_at };
      }
    }
  },
});
