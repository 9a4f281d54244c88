import { defineEntity, p } from '@mikro-orm/postgresql';
import { instant, table } from '@teaching/kit';

/** When the first mark of a lesson was set, whatever became of that mark. */
export const ROLL_CALL = table(
  defineEntity({
    name: 'RollCall',
    tableName: 'roll_call',
    properties: {
      org_id: p.uuid().primary(),
      gen: p.integer().primary(),
      lesson_id: p.uuid().primary(),
      taken_at: instant(),
    },
  }),
);
