import { type BookingNotRestored, Problem } from '@teaching/contracts';
import { always, instant, type RowOf, type Session, statement } from '@teaching/kit';
import { p } from '@mikro-orm/postgresql';
import { audit } from '../audit/audit.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { book } from './book.ts';

const BOOKING = {
  leave_id: always(p.uuid()),
  student_id: always(p.text()),
  missed_id: always(p.uuid()),
  lesson_id: always(p.uuid()),
  starts_at: always(instant()),
};
type Booking = RowOf<typeof BOOKING>;
/** Bookings of credits from this class, and of guests in it, that ended at or after a moment. */
const ENDED = statement(
  `select v.id as leave_id, v.student_id, v.lesson_id as missed_id, l.id as lesson_id, l.starts_at
   from make_up_credit c
   join leave v on v.org_id = c.org_id and v.id = c.leave_id
   join lesson l on l.org_id = c.org_id and l.id = c.ended_lesson_id
   where c.org_id = $1 and c.ended_lesson_id is not null and (v.clazz_id = $2 or l.clazz_id = $2) and c.ended_at >= $3
     and ($4::text is null or v.student_id = $4)
   order by v.id`,
  BOOKING,
);

/** Books again; answers the code of what is in the way, or null. */
const bookAgain = async (session: Session, it: Booking, reason: string | null): Promise<string | null> => {
  const { lessons } = await lockSeats(session, [it.missed_id, it.lesson_id]);
  const [missed, target] = lessons;
  const leave = missed?.seats.find((seat) => seat.leave?.id === it.leave_id)?.leave;
  if (leave == null || target === undefined) return 'credit_unavailable';
  try {
    await book(session, leave, target, reason);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

/**
 * Lets bookings return that ended with a class or an enrolment which came back, on both sides: of its own
 * students elsewhere and of its guests. What does not fit any more is answered and put on the trail.
 */
export const restoreBookings = async (
  session: Session,
  clazz_id: string,
  since: string,
  options: { student_id?: string; reason?: string | null } = {},
): Promise<BookingNotRestored[]> => {
  const { student_id = null, reason = null } = options;
  const bookings = await session.query(ENDED, session.org_id, clazz_id, since, student_id);
  const lost: BookingNotRestored[] = [];
  for (const it of bookings) {
    // One after the other: two may want the same last place.
    const why = await bookAgain(session, it, reason);
    if (why === null) continue;
    const { leave_id, lesson_id, starts_at } = it;
    lost.push({ leave_id, student_id: it.student_id, lesson_id, starts_at, reason: why });
    const changes = { not_restored: { before: lesson_id, after: why } };
    const about = [it.student_id];
    audit(session, clazz_id, [{ action: 'update', entity: 'leave', entity_id: leave_id, changes, about }], reason);
  }
  return lost;
};
