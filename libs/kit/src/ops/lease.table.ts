import { bigint, instant, p } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** The terms of leaders. Writes of a former leader are recognized by their term. */
export const DUTY = table('duty', {
  name: p.text().primary(),
  term: bigint(),
  since: instant(),
});
