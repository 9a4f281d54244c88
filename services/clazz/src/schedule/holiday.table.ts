import { defineEntity, p } from '@mikro-orm/postgresql';
import { table } from '@teaching/kit';

export const HOLIDAY = table(
  defineEntity({
    name: 'Holiday',
    tableName: 'holiday',
    properties: {
      org_id: p.uuid().primary(),
      date: p.date().primary(),
      name: p.text(),
    },
  }),
);
