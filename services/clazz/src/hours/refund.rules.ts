import { isDeepStrictEqual } from 'node:util';
import { fromHundredths, Problem, type RefundQuote, STANDARD_CURRENCY } from '@teaching/contracts';
import type { Lot } from './account.rules.ts';
import { worthOf } from './money.rules.ts';

export type Priced = Omit<RefundQuote, 'quote_id' | 'student_id' | 'created_at'>;

/** The one currency of a quote: lots in several need a choice. */
const currencyOf = (lots: readonly Lot[], wanted: string | null | undefined): string => {
  if (wanted != null) return wanted;
  const all = [...new Set(lots.map((lot) => lot.currency))].sort();
  if (all.length < 2) return all[0] ?? STANDARD_CURRENCY;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/currency', message: `is needed, since lots were paid in ${all.join(', ')}` }],
  });
};

/** What the remaining paid hours are worth, lot by lot (rules, part 6). Gifts have no price to give back. */
export const quoteOf = (lots: readonly Lot[], wanted?: string | null): Priced => {
  const paid = lots.filter((lot) => lot.kind === 'paid' && lot.remaining > 0);
  const currency = currencyOf(paid, wanted);
  const rows = paid
    .filter((lot) => lot.currency === currency)
    .map((lot) => ({
      lot_id: lot.id,
      remaining: fromHundredths(lot.remaining),
      granted: fromHundredths(lot.granted),
      price_minor: lot.price_minor,
      unit_price_minor: worthOf(lot, 100).amount_minor,
      ...worthOf(lot, lot.remaining),
    }));
  return { amount_minor: rows.reduce((sum, row) => sum + row.amount_minor, 0), currency, lots: rows };
};

/** A quote holds while asking again would give the same lots, hours and money. */
export const requireCurrent = (quote: RefundQuote, lots: readonly Lot[]): void => {
  const { quote_id: _id, student_id: _student, created_at: _time, ...priced } = quote;
  if (isDeepStrictEqual(quoteOf(lots, quote.currency), priced)) return;
  throw new Problem('quote_stale', 'The hours have changed since the quote; ask for a new one');
};
