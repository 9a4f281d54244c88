import { hundredths, p, table } from '@teaching/kit';
import { sumsFrom } from './sums.rules.ts';

/** Holds what the entries of a whole life add up to. */
const sum = () => hundredths(16);

/** One row for each student with a ledger; its lock orders everything that moves hours. */
export const HOUR_ACCOUNT = table('hour_account', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  last_seq: p.integer().nullable(),
  balance: sum(),
  /** What its entries add up to, kind by kind: together the balance. */
  ...sumsFrom(sum),
});
