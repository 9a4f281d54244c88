import { type leaveCalls, unknownIds } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { MAKE_UP_CREDIT } from '../cascade/cascade.tables.ts';
import { saveLeaves } from '../cascade/save-leaves.ts';
import { readSeat } from '../record/occupancy.ts';
import { type LeaveCheck, lockLeave } from './lock-leave.ts';
import { bookLesson } from './make-up-booking.ts';
import { alreadyAttending, requireCreditUser, creditUnavailable, requireBooking } from './make-up.rules.ts';
import { readWrittenLeave } from './read-leaves.ts';

/**
 * Refuses callers that may not use the credit. Then 409 `already_attending` for a lesson in which the student has a place
 * anyway, whatever the state of the credit. A cancelled lesson has no places.
 */
const requireOtherLesson = (session: Session): LeaveCheck => {
  const requireUser = requireCreditUser(session.access);
  return async (people, state, others) => {
    await requireUser(people, state, others);
    const [target] = others;
    if (target === undefined || target.lesson.status === 'cancelled') return;
    const seat = await readSeat(session, target.lesson.id, people.self);
    if (seat?.seated === true) throw alreadyAttending();
  };
};

/** Books a lesson with the make-up credit of a leave. The student is then listed at the lesson. */
export const bookMakeUp: Handler<typeof leaveCalls.bookMakeUp> = async ({ path, body }, session) => {
  const more = [body.lesson_id];
  const { leave, others } = await lockLeave(session, path.id, requireOtherLesson(session), creditUnavailable, more);
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
