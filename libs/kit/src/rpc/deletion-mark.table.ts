import { p } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Deletions under way of things that other services may refer to; an abandoned one runs out. */
export const DELETION_MARK = table('deletion_mark', {
  org_id: p.uuid().primary(),
  /** Which deletion: the same thing may have several at once. */
  attempt: p.uuid().primary(),
  id: p.uuid(),
  since: p.text().columnType('timestamptz'),
});
