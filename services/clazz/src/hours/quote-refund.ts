import type { hourCalls, RefundQuote } from '@teaching/contracts';
import { type Handler, newId } from '@teaching/kit';
import { openBook } from './open-books.ts';
import { quoteOf } from './refund.rules.ts';
import { REFUND_QUOTE } from './refund-quote.table.ts';
import { saveBooks } from './save-books.ts';

export const quoteRefund: Handler<typeof hourCalls.quoteRefund> = async (
  { body: { student_id, currency } },
  session,
) => {
  const { policy, books, book } = await openBook(session, student_id);
  const id = newId();
  const created_at = session.now.toISOString();
  const quote: RefundQuote = { quote_id: id, student_id, ...quoteOf(book, policy, currency), created_at };
  saveBooks(session, books);
  session.insert(REFUND_QUOTE, {
    org_id: session.org_id,
    id,
    student_id,
    quote,
    created_at,
    created_by: session.actor_id,
    refunded_at: null,
  });
  return quote;
};
