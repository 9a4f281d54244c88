import type { Lesson } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { withoutBooking } from './cascade.rules.ts';
import { runCascade } from './run-cascade.ts';
import { auditRemovedLeaves, publishLeaveEvents, saveLeaves, toRemovedLeave } from './save-leaves.ts';
import { lockSeats, LEAVE_WITH_OPTIONAL_CREDIT, toLeaveState, LEAVE_WITH_CREDIT } from './lock-seats.ts';

/**
 * Leaves with a make-up booked at these lessons. They do not change meanwhile, because every change locks the booked
 * lesson.
 */
const MADE_UP_AT = statement(
  `select ${LEAVE_WITH_CREDIT.columns} from make_up_credit c join leave v on v.org_id = c.org_id and v.id = c.leave_id
   where c.org_id = $1 and c.lesson_id = any($2::uuid[])`,
  LEAVE_WITH_CREDIT.shape,
);

/**
 * Releases the bookings of guests at lessons that are cancelled or removed, so that the credits are available again.
 */
const releaseBookings = async (
  session: Session,
  lesson_ids: readonly string[],
  reason: string | null,
): Promise<void> => {
  const leaves = (await session.query(MADE_UP_AT, session.org_id, lesson_ids)).map(toLeaveState);
  const changes = leaves.map((before) => {
    const credit = before.credit && withoutBooking(before.credit, 'available', session.now.toISOString());
    return { before, after: { ...before, credit, version: before.version + 1 } };
  });
  await saveLeaves(session, changes, reason);
};

/** Whether a change affects charges, leave or the listed students. */
const affectsSeats = ({ before, after }: { before: Lesson; after: Lesson }): boolean =>
  before.status !== after.status || before.hours !== after.hours || before.starts_at !== after.starts_at;

/**
 * Runs the cascade after lessons changed: derives charges, make-up credits and leave of these lessons again.
 * Call it in the transaction of the change, after the lessons are written. `reasonGiven` is the reason of the caller,
 * or null.
 */
export const cascadeLessonChanges = async (
  session: Session,
  changes: readonly { before: Lesson; after: Lesson }[],
  reasonGiven: string | null,
): Promise<void> => {
  const changed = changes.filter(affectsSeats).map(({ after }) => after);
  if (changed.length === 0) return;
  const loaded = await lockSeats(
    session,
    changed.map((lesson) => lesson.id),
  );
  const reason = reasonGiven ?? 'the lesson was changed';
  const cancelled = changed.filter((lesson) => lesson.status === 'cancelled').map((lesson) => lesson.id);
  const trigger = cancelled.length > 0 ? 'lesson cancelled' : 'lesson changed';
  await runCascade(session, { ...loaded, reason, trigger });
  if (cancelled.length > 0) await releaseBookings(session, cancelled, reason);
};

const LEAVES_AT = statement(
  `select ${LEAVE_WITH_OPTIONAL_CREDIT.columns} from leave v
   left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
   where v.org_id = $1 and v.lesson_id = any($2::uuid[]) order by v.requested_at, v.id`,
  LEAVE_WITH_OPTIONAL_CREDIT.shape,
);
const REMOVE_LEAVES = statement('delete from leave where org_id = $1 and lesson_id = any($2::uuid[])');

/**
 * Removes the leave of lessons that are going to be removed, publishes this at commit and audits it. Bookings of guests
 * are released.
 */
export const removeLeaves = async (session: Session, lesson_ids: readonly string[]): Promise<void> => {
  if (lesson_ids.length === 0) return;
  await releaseBookings(session, lesson_ids, 'the class was deleted');
  const leaves = (await session.query(LEAVES_AT, session.org_id, lesson_ids)).map(toLeaveState);
  if (leaves.length === 0) return;
  session.run(REMOVE_LEAVES, session.org_id, lesson_ids);
  session.publishOnCommit(publishLeaveEvents, leaves.map(toRemovedLeave));
  auditRemovedLeaves(session, leaves);
};
