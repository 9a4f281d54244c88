import { bigint, hundredths, instant, p, table } from '@teaching/kit';

/** Lots of hours that run out one day; of others no answer needs more than their account. */
export const LOT = table('lot', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  student_id: p.text(),
  kind: p.text(),
  remaining: hundredths(),
  expires_at: instant().nullable(),
  seq: bigint(),
  open: p.boolean().nullable().persist(false).hidden(),
});
