import { fromHundredths, type hourCalls, toHundredths } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { namesOf } from '../record/member-names.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import { openBook, saveBooks } from './ledger.ts';
import { lotOf } from './grant.rules.ts';
import { exceedsOverdraft, requireEnough, shortageOf } from './overdraft.rules.ts';

/** Adds hours as a gift, or takes them in draw order; what is lacking is owed as far as policy allows. */
export const adjustHours: Handler<typeof hourCalls.adjustHours> = async ({ body }, session) => {
  // Hours that are given are granted, whatever it is called; hours may also be taken from a student who has left.
  const given = toHundredths(body.hours) > 0 ? [body.student_id] : [];
  await requireListedStudents(session, given, () => '/body/student_id');
  const { student_id } = body;
  const [{ policy, books, book }, nameOf] = await Promise.all([
    openBook(session, student_id),
    namesOf(session, session.org_id, [student_id]),
  ]);
  const cause = { actor_id: session.actor_id, reason: body.reason, policy_version: null };
  const hours = toHundredths(body.hours);
  const [balance, debt] = [book.balance, book.debt];
  if (hours > 0) {
    book.putIn(lotOf({ hours: body.hours, kind: 'gift' }, null, policy, session.now), 'adjust', cause);
    book.settle();
  } else {
    const { short } = book.takeOut(-hours, 'adjust', cause);
    if (short > 0) book.owe(short, cause);
    requireEnough(exceedsOverdraft(policy, debt, book.debt) ? [shortageOf(book, balance, -hours)] : []);
  }
  saveBooks(session, books);
  return { student_id, student_name: nameOf(student_id), balance: fromHundredths(book.balance) };
};
