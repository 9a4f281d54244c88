import { defineEntity, p } from '@mikro-orm/postgresql';
import { table } from '@teaching/kit';

/** Who checks in on a plan. */
export const JIHUA_STUDENT = table(
  defineEntity({
    name: 'JihuaStudent',
    tableName: 'jihua_student',
    properties: {
      org_id: p.uuid().primary(),
      jihua_id: p.uuid().primary(),
      student_id: p.text().primary(),
      /** The first day they are asked for; null: the plan's first. */
      since: p.date().nullable(),
    },
  }),
);
