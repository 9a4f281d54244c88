import { bigint, p, table } from '@teaching/kit';

/** What the directory calls people. */
export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  user_id: p.text().primary(),
  display_name: p.text(),
  seq: bigint(),
});
