import { bigint, p, table } from '@teaching/kit';
import { sumOfHours } from '../../figures/columns.ts';

/** What a student's account knew after its last entries. `seq` 0: counted up from entries, no event has told it yet. */
export const ACCOUNT = table('account', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  student_id: p.text().primary(),
  granted: sumOfHours(),
  consumed: sumOfHours(),
  balance: sumOfHours(),
  seq: bigint(),
});
