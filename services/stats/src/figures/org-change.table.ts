import { p, table } from '@teaching/kit';

/** The last change of what statistics know of an organization. No two have the same id, not even in two copies of a database. */
export const ORG_CHANGE = table('org_change', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid(),
});
