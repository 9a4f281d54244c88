import { defineEntity, p } from '@mikro-orm/postgresql';
import { table } from '@teaching/kit';

/** The receipt of one entry that moved money. */
export const RECEIPT = table(
  defineEntity({
    name: 'Receipt',
    tableName: 'receipt',
    properties: {
      org_id: p.uuid().primary(),
      year: p.integer().primary(),
      number: p.integer().primary(),
      entry_id: p.uuid(),
      /** The rest of the entry's key. */
      student_id: p.text(),
      seq: p.integer(),
      /** The day it was in the org's zone. */
      issued_on: p.date(),
    },
  }),
);

/** The last number given in a year; its lock keeps the numbers without gaps. */
table(
  defineEntity({
    name: 'ReceiptSeries',
    tableName: 'receipt_series',
    properties: { org_id: p.uuid().primary(), year: p.integer().primary(), last: p.integer() },
  }),
);
