import {
  fromHundredths,
  type hourCalls,
  Problem,
  type RefundQuote,
  toHundredths,
  unknownIds,
} from '@teaching/contracts';
import { type Handler, newId } from '@teaching/kit';
import { namesOf } from '../record/member-names.ts';
import { openLedger, saveLedgers } from './ledger.ts';
import { REFUND_QUOTE } from './hours.tables.ts';
import { moneyOf } from './money.rules.ts';
import { createReceipts } from './receipts.ts';
import { refundQuote, requireCurrentQuote } from './refund.rules.ts';

export const quoteRefund: Handler<typeof hourCalls.quoteRefund> = async (
  { body: { student_id, currency } },
  session,
) => {
  const [{ policy, ledgers, ledger }, nameOf] = await Promise.all([
    openLedger(session, student_id),
    namesOf(session, session.org_id, [student_id]),
  ]);
  const id = newId();
  const created_at = session.now.toISOString();
  const quote: RefundQuote = { quote_id: id, student_id, ...refundQuote(ledger, policy, currency), created_at };
  saveLedgers(session, ledgers);
  session.insert(REFUND_QUOTE, {
    org_id: session.org_id,
    id,
    student_id,
    quote,
    created_at,
    created_by: session.actor_id,
    refunded_at: null,
  });
  return { ...quote, student_name: nameOf(student_id) };
};

/** Executes a valid quote, once. */
export const refundHours: Handler<typeof hourCalls.refundHours> = async ({ body: { quote_id } }, session) => {
  const found = await session.lock(REFUND_QUOTE, quote_id);
  if (found === undefined) throw unknownIds([{ path: '/body/quote_id', message: 'does not exist' }]);
  if (found.refunded_at !== null) throw new Problem('quote_stale', 'This quote was already refunded');
  const [{ policy, ledgers, ledger }, nameOf] = await Promise.all([
    openLedger(session, found.student_id),
    namesOf(session, session.org_id, [found.student_id]),
  ]);
  requireCurrentQuote(found.quote, ledger, policy);
  const cause = { actor_id: session.actor_id, reason: `refund ${quote_id}`, policy_version: null };
  const { currency, lots } = found.quote;
  for (const { lot_id, remaining, amount_minor } of lots) {
    ledger.refund(
      lot_id,
      toHundredths(remaining),
      cause,
      moneyOf({ kind: 'paid', price_minor: amount_minor, currency }),
    );
  }
  saveLedgers(session, ledgers);
  createReceipts(session, ledgers, policy);
  const refunded_at = session.now.toISOString();
  session.update(REFUND_QUOTE, { ...found, refunded_at });
  const student_name = nameOf(found.student_id);
  return { ...found.quote, student_name, balance: fromHundredths(ledger.balance), refunded_at };
};
