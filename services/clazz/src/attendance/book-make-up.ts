import { type leaveCalls, unknownIds } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { book } from './book.ts';
import { writtenLeave } from './leave-shown.ts';
import { lockLeave } from './lock-leave.ts';
import { mayMakeUp, noCredit } from './make-up.rules.ts';

/** Uses the credit of a leave for a lesson; the student is then listed there. */
export const bookMakeUp: Handler<typeof leaveCalls.bookMakeUp> = async ({ path, body }, session) => {
  const { leave, others } = await lockLeave(session, path.id, mayMakeUp(session.reach), noCredit, [body.lesson_id]);
  const [target] = others;
  if (target === undefined) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  return writtenLeave(session, await book(session, leave, target));
};
