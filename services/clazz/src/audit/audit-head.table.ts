import { bigint, instant, p, table } from '@teaching/kit';

/** Where each org's chain ends; its row is the lock under which entries are appended. */
export const AUDIT_HEAD = table('audit_head', {
  org_id: p.uuid().primary(),
  entries: bigint(),
  hash: p.text(),
  at: instant().nullable(),
});
