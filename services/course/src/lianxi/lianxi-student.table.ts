import { defineEntity, p } from '@mikro-orm/postgresql';
import { table } from '@teaching/kit';

/** The students a practice is assigned to one by one. */
export const LIANXI_STUDENT = table(
  defineEntity({
    name: 'LianxiStudent',
    tableName: 'lianxi_student',
    properties: {
      org_id: p.uuid().primary(),
      lianxi_id: p.uuid().primary(),
      student_id: p.text().primary(),
    },
  }),
);
