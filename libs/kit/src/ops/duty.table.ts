import { defineEntity, p } from '@mikro-orm/postgresql';
import { bigint, instant } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Who leads, by terms: what a former leader still does is recognized by its term. */
export const DUTY = table(
  defineEntity({
    name: 'Duty',
    tableName: 'duty',
    properties: {
      name: p.text().primary(),
      term: bigint(),
      since: instant(),
    },
  }),
);
