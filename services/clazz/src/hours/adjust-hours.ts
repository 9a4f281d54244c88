import { fromHundredths, type hourCalls, toHundredths } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { namesOf } from '../record/member-names.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import { openLedger, saveLedgers } from './ledger.ts';
import { newLot } from './grant.rules.ts';
import { exceedsOverdraft, requireEnoughHours, shortageOf } from './overdraft.rules.ts';

/** Adds hours as a gift, or takes hours in draw order. Missing hours become a debt, as far as the policy allows. */
export const adjustHours: Handler<typeof hourCalls.adjustHours> = async ({ body }, session) => {
  // Only added hours need an active student. Hours may be taken from a student who has left.
  const receivers = toHundredths(body.hours) > 0 ? [body.student_id] : [];
  await requireListedStudents(session, receivers, () => '/body/student_id');
  const { student_id } = body;
  const [{ policy, ledgers, ledger }, nameOf] = await Promise.all([
    openLedger(session, student_id),
    namesOf(session, session.org_id, [student_id]),
  ]);
  const cause = { actor_id: session.actor_id, reason: body.reason, policy_version: null };
  const hours = toHundredths(body.hours);
  const [balance, debt] = [ledger.balance, ledger.debt];
  if (hours > 0) {
    ledger.addLot(newLot({ hours: body.hours, kind: 'gift' }, null, policy, session.now), 'adjust', cause);
    ledger.settleDebts();
  } else {
    const { short } = ledger.takeHours(-hours, 'adjust', cause);
    if (short > 0) ledger.addDebt(short, cause);
    requireEnoughHours(exceedsOverdraft(policy, debt, ledger.debt) ? [shortageOf(ledger, balance, -hours)] : []);
  }
  saveLedgers(session, ledgers);
  return { student_id, student_name: nameOf(student_id), balance: fromHundredths(ledger.balance) };
};
