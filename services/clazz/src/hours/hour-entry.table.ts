import { ENTRY_KINDS } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';

/** The ledger: each entry continues from the balance of the one before it. None is changed or removed. */
export const HOUR_ENTRY = table('hour_entry', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  seq: p.integer().primary(),
  id: p.uuid(),
  kind: p.enum(ENTRY_KINDS),
  lot_id: p.uuid().nullable(),
  amount: hundredths(),
  /** Money that changed hands with the hours: paid for a grant, given back by a refund. */
  price_minor: bigint().nullable(),
  currency: p.text().nullable(),
  balance_before: hundredths(16),
  balance_after: hundredths(16),
  lesson_id: p.uuid().nullable(),
  mark_revision: p.integer().nullable(),
  policy_version: p.integer().nullable(),
  lot_expires_at: instant().nullable(),
  actor_id: p.text(),
  reason: p.text().nullable(),
  created_at: instant(),
});
