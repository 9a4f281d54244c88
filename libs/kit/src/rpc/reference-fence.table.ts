import { p } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Ids of other services' things whose owner lately asked, in order to delete them, whether they are referred to. */
export const REFERENCE_FENCE = table('reference_fence', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  /** Another one each time the owner asks. */
  attempt: p.uuid(),
  at: p.text().columnType('timestamptz'),
});
