import { isDeepStrictEqual } from 'node:util';
import { fromHundredths, type Policy, Problem, type RefundQuote } from '@teaching/contracts';
import { sortByDrawOrder, type Lot } from './account.rules.ts';
import type { StudentLedger } from './student-ledger.rules.ts';
import { worthBetween, worthOf } from './money.rules.ts';

export type QuoteContent = Omit<RefundQuote, 'quote_id' | 'student_id' | 'created_at'>;
type Rules = Pick<Policy, 'hours'>;

/**
 * The currency of a quote. Lots in several currencies need a choice by the caller: 400 without one. Null if no lot has
 * a price.
 */
const currencyOf = (lots: readonly Lot[], wanted: string | null | undefined): string | null => {
  if (wanted != null) return wanted;
  const all = [...new Set(lots.flatMap((lot) => lot.currency ?? []))].sort();
  if (all.length < 2) return all[0] ?? null;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/currency', message: `is required, because lots were paid in ${all.join(', ')}` }],
  });
};

/** The hours of each lot that cover the debts, in hundredths. Debts are deducted in draw order. */
const debtByLot = (debt: number, lots: readonly Lot[], { draw_order }: Policy['hours']): Map<string, number> => {
  let open = debt;
  return new Map(
    sortByDrawOrder(lots, draw_order).map((lot) => {
      const kept = Math.min(open, lot.remaining);
      open -= kept;
      return [lot.id, kept];
    }),
  );
};

const toQuoteLot = (lot: Lot, owed: number): QuoteContent['lots'][number] => {
  const whole = worthOf(lot, lot.remaining);
  const kept = worthOf(lot, owed);
  const amount_minor = worthBetween(lot, lot.remaining, owed);
  return {
    lot_id: lot.id,
    remaining: fromHundredths(lot.remaining - owed),
    granted: fromHundredths(lot.granted),
    price_minor: lot.price_minor,
    unit_price_minor: worthOf(lot, 100).amount_minor,
    amount_minor,
    working: owed === 0 ? whole.working : `${whole.working}; less ${kept.working}; ${amount_minor} are left`,
    ...(owed === 0 ? {} : { owed: fromHundredths(owed) }),
  };
};

/**
 * The worth of the remaining paid hours, lot by lot (domain rules, sections 6 and 10). Gifts are not refunded.
 * Debts are deducted first, so that no refund leaves a balance below zero.
 */
export const refundQuote = (
  { lots, debt }: Pick<StudentLedger, 'lots' | 'debt'>,
  policy: Rules,
  wanted?: string | null,
): QuoteContent => {
  const kept = debtByLot(debt, lots, policy.hours);
  const owed = (lot: Lot): number => kept.get(lot.id) ?? 0;
  const paid = lots.filter((lot) => lot.kind === 'paid' && lot.remaining > owed(lot));
  const currency = currencyOf(paid, wanted);
  // Lots without a price are included in any currency.
  const rows = paid
    .filter((lot) => lot.currency === null || lot.currency === currency)
    .map((lot) => toQuoteLot(lot, owed(lot)));
  return { amount_minor: rows.reduce((sum, row) => sum + row.amount_minor, 0), currency, lots: rows };
};

/** 409 `quote_stale` unless a new quote would have the same lots, hours and money. */
export const requireCurrentQuote = (
  quote: RefundQuote,
  ledger: Pick<StudentLedger, 'lots' | 'debt'>,
  policy: Rules,
): void => {
  const { quote_id: _id, student_id: _student, created_at: _time, ...before } = quote;
  if (isDeepStrictEqual(refundQuote(ledger, policy, quote.currency), before)) return;
  throw new Problem('quote_stale', 'The hours have changed since the quote; request a new quote');
};
