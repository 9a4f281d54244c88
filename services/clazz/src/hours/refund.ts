import { isDeepStrictEqual } from 'node:util';
import { notFound, Problem, type hourCalls, type RefundQuote, fromHundredths } from '@teaching/contracts';
import { type Handler, newId, type Session, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import type { Book } from './book.rules.ts';
import { bookOf, openBooks } from './open-books.ts';
import { quoteOf } from './refund.rules.ts';
import { saveBooks } from './save-books.ts';

const STORE = statement(
  `insert into refund_quote (org_id, id, student_id, quote, created_at, created_by) values ($1, $2, $3, $4, $5, $6)`,
);
const LOCK = statement<{ student_id: string; quote: RefundQuote; refunded_at: string | null }>(
  'select student_id, quote, refunded_at from refund_quote where org_id = $1 and id = $2 for update',
);
const DONE = statement('update refund_quote set refunded_at = $3 where org_id = $1 and id = $2');

const openOne = async (session: Session, student_id: string) => {
  const policy = await policyInForce(session, session.org_id);
  const books = await openBooks(session, [student_id], policy);
  return { books, book: bookOf(books, student_id) };
};

export const quoteRefund: Handler<typeof hourCalls.quoteRefund> = async ({ body }, session) => {
  const { books, book } = await openOne(session, body.student_id);
  const { org_id, now, caller } = session;
  const quote: RefundQuote = {
    quote_id: newId(),
    student_id: body.student_id,
    ...quoteOf(book.lots, body.currency),
    created_at: now.toISOString(),
  };
  saveBooks(session, books);
  session.run(STORE, org_id, quote.quote_id, body.student_id, JSON.stringify(quote), now, caller.user_id);
  return quote;
};

/** A quote holds while asking again would give the same lots, hours and money. */
const requireCurrent = (quote: RefundQuote, book: Book): void => {
  const { amount_minor, currency, lots } = quoteOf(book.lots, quote.currency);
  if (
    isDeepStrictEqual(
      { amount_minor, currency, lots },
      { amount_minor: quote.amount_minor, currency: quote.currency, lots: quote.lots },
    )
  )
    return;
  throw new Problem('quote_stale', 'The hours have changed since the quote; ask for a new one');
};

export const refundHours: Handler<typeof hourCalls.refund> = async ({ body }, session) => {
  const found = await session.one(LOCK, session.org_id, body.quote_id);
  if (found === undefined) throw notFound('Refund quote');
  if (found.refunded_at !== null) throw new Problem('quote_stale', 'This quote has been refunded already');
  const { books, book } = await openOne(session, found.student_id);
  requireCurrent(found.quote, book);
  const cause = { actor_id: session.caller.user_id, reason: `refund ${body.quote_id}`, policy_version: null };
  for (const lot of found.quote.lots) book.refund(lot.lot_id, cause);
  saveBooks(session, books);
  session.run(DONE, session.org_id, body.quote_id, session.now);
  return { ...found.quote, balance: fromHundredths(book.balance), refunded_at: session.now.toISOString() };
};
