import { type hourCalls, fromHundredths, Problem, toHundredths, unknownIds } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { namesOf } from '../record/names-of.ts';
import { giveReceipts } from './give-receipts.ts';
import { moneyOf } from './money.rules.ts';
import { openBook } from './open-books.ts';
import { requireCurrent } from './refund.rules.ts';
import { REFUND_QUOTE } from './refund-quote.table.ts';
import { saveBooks } from './save-books.ts';

/** Executes a quote that still holds, once. */
export const refundHours: Handler<typeof hourCalls.refundHours> = async ({ body: { quote_id } }, session) => {
  const found = await session.lock(REFUND_QUOTE, quote_id);
  if (found === undefined) throw unknownIds([{ path: '/body/quote_id', message: 'does not exist' }]);
  if (found.refunded_at !== null) throw new Problem('quote_stale', 'This quote has been refunded already');
  const [{ policy, books, book }, nameOf] = await Promise.all([
    openBook(session, found.student_id),
    namesOf(session, session.org_id, [found.student_id]),
  ]);
  requireCurrent(found.quote, book, policy);
  const cause = { actor_id: session.actor_id, reason: `refund ${quote_id}`, policy_version: null };
  const { currency, lots } = found.quote;
  for (const { lot_id, remaining, amount_minor } of lots) {
    book.refund(lot_id, toHundredths(remaining), cause, moneyOf({ kind: 'paid', price_minor: amount_minor, currency }));
  }
  saveBooks(session, books);
  giveReceipts(session, books, policy);
  const refunded_at = session.now.toISOString();
  session.update(REFUND_QUOTE, { ...found, refunded_at });
  const student_name = nameOf(found.student_id);
  return { ...found.quote, student_name, balance: fromHundredths(book.balance), refunded_at };
};
