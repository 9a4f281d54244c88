import { bigint, instant, p, table } from '@teaching/kit';

/** What the trail can no longer prove, of all organizations. */
export const AUDIT_BREAK = table('audit_break', {
  id: bigint().primary().persist(false),
  at: instant(),
  epoch: p.integer(),
  no: bigint(),
  on_from: bigint(),
  why: p.text(),
});
