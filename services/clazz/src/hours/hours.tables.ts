import { ENTRY_KINDS, LOT_KINDS, type RefundQuote } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';
import { sumsFrom } from './amounts.rules.ts';

/** Large enough for the sum of all entries of an account. */
const sum = () => hundredths(16);

/** One row for each student with a ledger. Its lock serializes all movements of hours. */
export const HOUR_ACCOUNT = table('hour_account', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  last_seq: p.integer().nullable(),
  balance: sum(),
  /** The sums of its entries by kind. Together they are the balance. */
  ...sumsFrom(sum),
});

/** Hours granted at one time with one price and one expiry. */
export const HOUR_LOT = table('hour_lot', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  id: p.uuid().primary(),
  /** The number of the entry that created the lot. It is the order of age. */
  seq: p.integer(),
  kind: p.enum(LOT_KINDS),
  /** If set, the hours are valid for lessons of classes of this course only. */
  course_id: p.uuid().nullable(),
  granted: hundredths(),
  remaining: hundredths(),
  /** The price of all granted hours. */
  price_minor: bigint(),
  /** Null without a price. */
  currency: p.text().nullable(),
  package_id: p.uuid().nullable(),
  package_version: p.integer().nullable(),
  /** The title of the package when it was bought. */
  package_title: p.text().nullable(),
  expires_at: instant().nullable(),
  created_at: instant(),
  open: p.boolean().hidden().persist(false),
});

/** The ledger. Each entry continues from the balance of the previous one. Entries are never changed or removed. */
export const HOUR_ENTRY = table('hour_entry', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  seq: p.integer().primary(),
  id: p.uuid(),
  kind: p.enum(ENTRY_KINDS),
  lot_id: p.uuid().nullable(),
  amount: hundredths(),
  /** The money that was paid for a grant or given back by a refund. */
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

/**
 * The current source of charged hours, where the entry of the charge does not show it.
 * A row replaces the entries of the charge for the same lot. Without a lot it is a debt, until it is settled from later
 * hours. Without a lesson it is a debt of an adjustment.
 * Its keys are two partial indexes, one with and one without a lesson.
 */
export const HOUR_DRAW = table('hour_draw', {
  org_id: p.uuid(),
  student_id: p.text(),
  id: p.uuid(),
  /** The number of the entry that took the hours. Debts are settled in this order. */
  seq: p.integer(),
  lesson_id: p.uuid().nullable(),
  mark_revision: p.integer().nullable(),
  course_id: p.uuid().nullable(),
  lot_id: p.uuid().nullable(),
  amount: hundredths(),
});

/** The receipt of one entry that moved money. */
export const RECEIPT = table('receipt', {
  org_id: p.uuid().primary(),
  year: p.integer().primary(),
  number: p.integer().primary(),
  entry_id: p.uuid(),
  /** The rest of the key of the entry. */
  student_id: p.text(),
  seq: p.integer(),
  /** The day of issue in the org's zone. */
  issued_on: p.date(),
});

/** The last assigned number of a year. Its lock keeps the numbers without gaps. */
table('receipt_series', { org_id: p.uuid().primary(), year: p.integer().primary(), last: p.integer() });

export const REFUND_QUOTE = table('refund_quote', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  student_id: p.text(),
  quote: p.json<RefundQuote>(),
  created_at: instant(),
  created_by: p.text(),
  refunded_at: instant().nullable(),
});
