import { isDeepStrictEqual } from 'node:util';
import { fromHundredths, type Policy, Problem, type RefundQuote } from '@teaching/contracts';
import { inDrawOrder, type Lot } from './account.rules.ts';
import type { Book } from './book.rules.ts';
import { worthBetween, worthOf } from './money.rules.ts';

export type Priced = Omit<RefundQuote, 'quote_id' | 'student_id' | 'created_at'>;
type Rules = Pick<Policy, 'hours'>;

/** The one currency of a quote: lots in several need a choice, and without a price there is none. */
const currencyOf = (lots: readonly Lot[], wanted: string | null | undefined): string | null => {
  if (wanted != null) return wanted;
  const all = [...new Set(lots.flatMap((lot) => lot.currency ?? []))].sort();
  if (all.length < 2) return all[0] ?? null;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/currency', message: `is needed, since lots were paid in ${all.join(', ')}` }],
  });
};

/** How many hours of each lot stand for what is owed: debts are taken off in draw order (hundredths). */
const keptFor = (debt: number, lots: readonly Lot[], { draw_order }: Policy['hours']): Map<string, number> => {
  let open = debt;
  return new Map(
    inDrawOrder(lots, draw_order).map((lot) => {
      const kept = Math.min(open, lot.remaining);
      open -= kept;
      return [lot.id, kept];
    }),
  );
};

const priced = (lot: Lot, owed: number): Priced['lots'][number] => {
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
 * What the remaining paid hours are worth, lot by lot (rules, parts 6 and 10). Gifts have no price to give back. What
 * is owed is taken off first, so that no refund leaves a balance below zero.
 */
export const quoteOf = ({ lots, debt }: Pick<Book, 'lots' | 'debt'>, policy: Rules, wanted?: string | null): Priced => {
  const kept = keptFor(debt, lots, policy.hours);
  const owed = (lot: Lot): number => kept.get(lot.id) ?? 0;
  const paid = lots.filter((lot) => lot.kind === 'paid' && lot.remaining > owed(lot));
  const currency = currencyOf(paid, wanted);
  // What cost nothing goes with any of them.
  const rows = paid
    .filter((lot) => lot.currency === null || lot.currency === currency)
    .map((lot) => priced(lot, owed(lot)));
  return { amount_minor: rows.reduce((sum, row) => sum + row.amount_minor, 0), currency, lots: rows };
};

/** A quote holds while asking again would give the same lots, hours and money. */
export const requireCurrent = (quote: RefundQuote, book: Pick<Book, 'lots' | 'debt'>, policy: Rules): void => {
  const { quote_id: _id, student_id: _student, created_at: _time, ...before } = quote;
  if (isDeepStrictEqual(quoteOf(book, policy, quote.currency), before)) return;
  throw new Problem('quote_stale', 'The hours have changed since the quote; ask for a new one');
};
