import { fromHundredths, type hourCalls, toHundredths } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { namesOf } from '../record/member-names.ts';
import { requireListedPeople } from '../record/require-listed-people.ts';
import { ledgerOf, openLedgers, saveLedgers } from './ledger.ts';
import { worthBetween } from './money.rules.ts';
import { requireEnoughHours, shortageOf } from './overdraft.rules.ts';

/**
 * Moves hours to another student, lot by lot in draw order. Each part becomes a lot of the other student, with the same
 * kind, expiry and package, at its worth.
 * 409 `insufficient_hours` if there are too few hours.
 */
export const transferHours: Handler<typeof hourCalls.transferHours> = async ({ body }, session) => {
  await requireListedPeople(session, [
    { user_id: body.from_student_id, role: 'STUDENT', path: '/body/from_student_id' },
    { user_id: body.to_student_id, role: 'STUDENT', path: '/body/to_student_id' },
  ]);
  const policy = await policyInForce(session, session.org_id);
  const students = [body.from_student_id, body.to_student_id];
  const [ledgers, nameOf] = await Promise.all([
    openLedgers(session, students, policy),
    namesOf(session, session.org_id, students),
  ]);
  const from = ledgerOf(ledgers, body.from_student_id);
  const to = ledgerOf(ledgers, body.to_student_id);
  const cause = { actor_id: session.actor_id, reason: body.reason, policy_version: null };
  const hours = toHundredths(body.hours);
  const available = from.balance;
  const { parts, short } = from.takeHours(hours, 'transfer_out', cause);
  requireEnoughHours(short > 0 ? [shortageOf(from, available, hours)] : []);
  for (const { lot, before, hours: granted } of parts) {
    const price_minor = worthBetween(lot, before, before - granted);
    to.addLot({ ...lot, granted, price_minor }, 'transfer_in', cause);
  }
  to.settleDebts();
  saveLedgers(session, ledgers);
  const balanceOf = ({ student_id, balance }: typeof from) => ({
    student_id,
    student_name: nameOf(student_id),
    balance: fromHundredths(balance),
  });
  return { from: balanceOf(from), to: balanceOf(to), hours: body.hours };
};
