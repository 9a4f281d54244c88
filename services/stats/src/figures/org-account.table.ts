import { p, table } from '@teaching/kit';
import { sumOfHours } from './columns.ts';

/** What an organization has now. */
export const ORG_ACCOUNT = table('org_account', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  granted: sumOfHours(),
  consumed: sumOfHours(),
  balance: sumOfHours(),
  clazzes_active: p.integer(),
  students_active: p.integer(),
  adjusted: sumOfHours(),
  transferred_in: sumOfHours(),
  transferred_out: sumOfHours(),
  refunded: sumOfHours(),
  expired: sumOfHours(),
});
