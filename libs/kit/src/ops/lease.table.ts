import { bigint, instant, p } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Who leads, by terms: what a former leader still does is recognized by its term. */
export const DUTY = table('duty', {
  name: p.text().primary(),
  term: bigint(),
  since: instant(),
});
