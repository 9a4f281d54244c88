import { ENTRY_KINDS, LOT_KINDS, type RefundQuote } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';
import { sumsFrom } from './amounts.rules.ts';

/** Holds what the entries of a whole life add up to. */
const sum = () => hundredths(16);

/** One row for each student with a ledger; its lock orders everything that moves hours. */
export const HOUR_ACCOUNT = table('hour_account', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  last_seq: p.integer().nullable(),
  balance: sum(),
  /** What its entries add up to, kind by kind: together the balance. */
  ...sumsFrom(sum),
});

/** Hours granted at one time with one price and one expiry. */
export const HOUR_LOT = table('hour_lot', {
  org_id: p.uuid().primary(),
  student_id: p.text().primary(),
  id: p.uuid().primary(),
  /** The entry that brought the lot; the order of age. */
  seq: p.integer(),
  kind: p.enum(LOT_KINDS),
  /** Set: only for lessons of classes of this course. */
  course_id: p.uuid().nullable(),
  granted: hundredths(),
  remaining: hundredths(),
  /** For all hours granted. */
  price_minor: bigint(),
  /** `null` without a price. */
  currency: p.text().nullable(),
  package_id: p.uuid().nullable(),
  package_version: p.integer().nullable(),
  /** As it was called when it was bought. */
  package_title: p.text().nullable(),
  expires_at: instant().nullable(),
  created_at: instant(),
  open: p.boolean().hidden().persist(false),
});

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

/**
 * Which lots stand behind a charge now, where its own entry does not say so: a row counts, and no entry of the charge for
 * the same lot. Without lot it is a debt, until a later inflow takes it over; without lesson it is what an adjustment
 * took. Its keys are two partial indexes, one with lesson and one without.
 */
export const HOUR_DRAW = table('hour_draw', {
  org_id: p.uuid(),
  student_id: p.text(),
  id: p.uuid(),
  /** The entry that took the hours; debts are settled in this order. */
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
  /** The rest of the entry's key. */
  student_id: p.text(),
  seq: p.integer(),
  /** The day it was in the org's zone. */
  issued_on: p.date(),
});

/** The last number given in a year; its lock keeps the numbers without gaps. */
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
