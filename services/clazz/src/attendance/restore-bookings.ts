import { type BookingNotRestored, Problem } from '@teaching/contracts';
import { notNull, instant, nameColumns, p, type RowOf, type Session, statement } from '@teaching/kit';
import { audit } from '../audit/record-audit.ts';
import type { Seat } from '../cascade/cascade.rules.ts';
import { ENDED_BOOKING } from '../cascade/cascade.tables.ts';
import { lockSeats } from '../cascade/lock-seats.ts';
import { bookLesson } from './make-up-booking.ts';

const student = nameColumns('v', 'student_id');
const BOOKING = {
  ...ENDED_BOOKING.pick('leave_id', 'lesson_id').shape,
  clazz_id: notNull(p.uuid()),
  student_id: notNull(p.text()),
  missed_id: notNull(p.uuid()),
  starts_at: notNull(instant()),
  ends_at: notNull(instant()),
  ...student.shape,
};
type Booking = RowOf<typeof BOOKING>;
const ENDED_BOOKINGS = `select v.id as leave_id, v.clazz_id, v.student_id, v.lesson_id as missed_id, l.id as lesson_id, l.starts_at,
     l.ends_at, ${student.columns}
   from ended_booking c
   join leave v on v.org_id = c.org_id and v.id = c.leave_id
   join lesson l on l.org_id = c.org_id and l.id = c.lesson_id
   where c.org_id = $1`;
/**
 * Bookings that ended at or after a moment, with a credit from this class or at a lesson of this class. `$5` limits
 * them to one missed or booked lesson. A booking that ended because a lesson of another class was cancelled, at
 * `updated_at`, did not end with this class.
 */
const ENDED = statement(
  `${ENDED_BOOKINGS} and c.ended_at >= $3
     and (c.leave_id = any(array(select id from leave where org_id = $1 and clazz_id = $2))
       or c.lesson_id = any(array(select id from lesson where org_id = $1 and clazz_id = $2)))
     and not (l.clazz_id <> $2 and l.status = 'cancelled' and l.updated_at = c.ended_at)
     and ($4::text is null or v.student_id = $4) and ($5::uuid is null or v.lesson_id = $5 or l.id = $5)
   order by v.id, c.ended_at desc, l.id`,
  BOOKING,
);
const MARKS_OF_LEAVE = `from mark_revision m
  where m.org_id = v.org_id and m.lesson_id = v.lesson_id and m.student_id = v.student_id`;
/** Bookings of these leaves that ended when the student, on leave or unmarked until then, was marked before `$3`. */
const ENDED_BY_MARK = statement(
  `${ENDED_BOOKINGS} and c.leave_id = any($2::uuid[])
     and exists (select ${MARKS_OF_LEAVE} and m.marked_at = c.ended_at)
     and c.ended_at > coalesce(
       (select max(m.marked_at) ${MARKS_OF_LEAVE} and (m.mark is null or m.mark = 'leave') and m.marked_at < $3), '-infinity')
   order by v.id`,
  BOOKING,
);

/** Books the lesson again. Returns null, or the code of the problem that refused it. */
const restoreBooking = async (session: Session, it: Booking, reason: string | null): Promise<string | null> => {
  const { lessons } = await lockSeats(session, [it.missed_id, it.lesson_id]);
  const [missed, target] = lessons;
  const leave = missed?.seats.find((seat) => seat.leave?.id === it.leave_id)?.leave;
  if (leave == null || target === undefined) return 'credit_unavailable';
  try {
    await bookLesson(session, leave, target, reason);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

/** Restores bookings. A booking that cannot be restored is returned and audited, and fails nothing else. */
const restoreEach = async (
  session: Session,
  bookings: readonly Booking[],
  reason: string | null,
): Promise<BookingNotRestored[]> => {
  const notRestored: BookingNotRestored[] = [];
  for (const it of bookings) {
    // One after the other, because two bookings may need the same last seat.
    const code = await restoreBooking(session, it, reason);
    if (code === null) continue;
    const { clazz_id, missed_id: _missed, ...booking } = it;
    notRestored.push({ ...booking, reason: code });
    const { leave_id, student_id, lesson_id } = booking;
    const changes = { not_restored: { before: lesson_id, after: code } };
    const about = [student_id];
    audit(session, clazz_id, [{ action: 'update', entity: 'leave', entity_id: leave_id, changes, about }], reason);
  }
  return notRestored;
};

/**
 * Restores bookings that ended with a class, a lesson or an enrolment that is restored: those of its own students
 * elsewhere, and those of its guests.
 */
export const restoreBookings = async (
  session: Session,
  clazz_id: string,
  since: string,
  options: { student_id?: string; lesson_id?: string; reason?: string | null } = {},
): Promise<BookingNotRestored[]> => {
  const { student_id = null, lesson_id: lessonId = null, reason = null } = options;
  const bookings = await session.query(ENDED, session.org_id, clazz_id, since, student_id, lessonId);
  // The audit log of the restored class records the bookings that could not be restored.
  const ofClazz = bookings.map((it) => ({ ...it, clazz_id }));
  return restoreEach(session, ofClazz, reason);
};

/** Leaves whose make-up credit was reinstated by a mark. */
const reinstatedLeaves = (before: readonly Seat[], after: readonly Seat[]): string[] =>
  after.flatMap(({ student_id, leave }) => {
    const was = before.find((seat) => seat.student_id === student_id)?.leave;
    const isReinstated = was?.credit?.status === 'withdrawn' && leave?.credit?.status === 'available';
    return isReinstated ? [leave.id] : [];
  });

/**
 * Restores bookings that ended when a student on leave was marked present, after that mark was changed back to leave.
 */
export const restoreBookingsAfterMarks = async (
  session: Session,
  before: readonly Seat[],
  after: readonly Seat[],
  reason: string | null,
): Promise<BookingNotRestored[]> => {
  const leave_ids = reinstatedLeaves(before, after);
  if (leave_ids.length === 0) return [];
  return restoreEach(session, await session.query(ENDED_BY_MARK, session.org_id, leave_ids, session.now), reason);
};
