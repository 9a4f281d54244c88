import { fromHundredths, hourCalls, HourLot, picking } from '@teaching/contracts';
import { prepared } from '@teaching/kit';
import { requireListedStudents } from '../record/require-listed.ts';
import { checkGrant } from './check-grant.ts';
import { lotOf, requireAhead } from './grant.rules.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import { openBook } from './open-books.ts';
import { saveBooks } from './save-books.ts';

const shown = picking(HourLot);

/** Gives a student hours as one lot; what the student owes is settled from it at once. */
export const grantHours = prepared(hourCalls.grant, {
  prepare: ({ body }, session) => checkGrant(session, body),
  run: async ({ body }, session, bought) => {
    const { student_id } = body;
    requireAhead(body, session.now);
    await requireListedStudents(session, [student_id], () => '/body/student_id');
    const { policy, books, book } = await openBook(session, student_id);
    const cause = { actor_id: session.caller.user_id, reason: null, policy_version: null };
    const lot = book.putIn(lotOf(body, bought, policy, session.now), 'grant', cause);
    book.settle();
    saveBooks(session, books);
    return { ...shown(asDecimals(AMOUNTS.lot, lot)), student_id, balance: fromHundredths(book.balance) };
  },
});
