import { type hourCalls, fromHundredths, notFound, Problem } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { openBook } from './open-books.ts';
import { requireCurrent } from './refund.rules.ts';
import { REFUND_QUOTE } from './refund-quote.table.ts';
import { saveBooks } from './save-books.ts';

/** Executes a quote that still holds, once. */
export const refundHours: Handler<typeof hourCalls.refund> = async ({ body: { quote_id } }, session) => {
  const found = await session.lock(REFUND_QUOTE, quote_id);
  if (found === undefined) throw notFound('Refund quote');
  if (found.refunded_at !== null) throw new Problem('quote_stale', 'This quote has been refunded already');
  const { books, book } = await openBook(session, found.student_id);
  requireCurrent(found.quote, book.lots);
  const cause = { actor_id: session.caller.user_id, reason: `refund ${quote_id}`, policy_version: null };
  for (const lot of found.quote.lots) book.refund(lot.lot_id, cause);
  saveBooks(session, books);
  const refunded_at = session.now.toISOString();
  session.update(REFUND_QUOTE, { ...found, refunded_at });
  return { ...found.quote, balance: fromHundredths(book.balance), refunded_at };
};
