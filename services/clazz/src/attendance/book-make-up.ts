import { type leaveCalls, unknownIds } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { MAKE_UP_CREDIT } from '../cascade/cascade.tables.ts';
import { saveLeaves } from '../cascade/save-leaves.ts';
import { lockLeave } from './lock-leave.ts';
import { bookLesson } from './make-up-booking.ts';
import { requireCreditUser, creditUnavailable, requireBooking } from './make-up.rules.ts';
import { readWrittenLeave } from './read-leaves.ts';

/** Books a lesson with the make-up credit of a leave. The student is then listed at the lesson. */
export const bookMakeUp: Handler<typeof leaveCalls.bookMakeUp> = async ({ path, body }, session) => {
  const { leave, others } = await lockLeave(session, path.id, requireCreditUser(session.access), creditUnavailable, [
    body.lesson_id,
  ]);
  const [target] = others;
  if (target === undefined) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  return readWrittenLeave(session, await bookLesson(session, leave, target));
};

/** Undoes the booking of a lesson that has not begun. The credit is available again. */
export const undoMakeUp: Handler<typeof leaveCalls.undoMakeUp> = async ({ path }, session) => {
  const booked = (await session.find(MAKE_UP_CREDIT, path.id))?.lesson_id ?? null;
  const more = booked === null ? [] : [booked];
  const { leave, others } = await lockLeave(
    session,
    path.id,
    requireCreditUser(session.access),
    creditUnavailable,
    more,
  );
  requireBooking(leave, others[0], session.now);
  const credit = leave.credit && {
    ...leave.credit,
    status: 'available' as const,
    lesson_id: null,
    ended_lesson_id: null,
    ended_at: null,
  };
  const after = { ...leave, credit, version: leave.version + 1 };
  await saveLeaves(session, [{ before: leave, after }], null);
  return readWrittenLeave(session, after);
};
