import { p, table } from '@teaching/kit';

/** The receipt of one entry that moved money. */
export const RECEIPT = table('receipt', {
  org_id: p.uuid().primary(),
  year: p.integer().primary(),
  number: p.integer().primary(),
  entry_id: p.uuid(),
  /** The rest of the entry's key. */
  student_id: p.text(),
  seq: p.integer(),
  /** The day it was in the org's zone. */
  issued_on: p.date(),
});

/** The last number given in a year; its lock keeps the numbers without gaps. */
table('receipt_series', { org_id: p.uuid().primary(), year: p.integer().primary(), last: p.integer() });
