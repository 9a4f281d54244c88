import type { Enrolment } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/record.tables.ts';
import { runCascade } from './run-cascade.ts';
import { lockSeats } from './lock-seats.ts';

/**
 * Lessons from a moment on at which these students have leave. Marks stay when students come or go, and so does what a
 * cancelled lesson costs.
 */
const TOUCHED = statement(
  `select l.id from lesson l
   where l.org_id = $1 and l.clazz_id = $2 and l.starts_at >= $4 and l.status <> 'cancelled'
     and exists (select from leave v where v.org_id = $1 and v.lesson_id = l.id and v.student_id = any($3::text[])
       and (v.status in ('pending', 'approved') or v.ended_from is not null))`,
  LESSON.pick('id').shape,
);

interface EnrolmentChange {
  before: Enrolment | null;
  after: Enrolment;
}

/**
 * The cascade's entry for enrolment changes: called inside the transaction by whatever enrols, suspends,
 * resumes, withdraws, transfers, completes or reopens, after enrolments and periods were written and
 * before the lessons of the class are touched. `before` is null for a new enrolment; all changes are of
 * one class. A student whose `after.status` is not `active` has left as of `session.now`. `why` is needed when an
 * enrolment that is dated back changes what follows from a lesson whose edit window is over. `closed_at` is when what
 * comes back with its class had ended.
 */
export const cascadeEnrolmentChanges = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  why: string | null = null,
  closed_at: string | null = null,
): Promise<void> => {
  const students = new Set(changes.map(({ after }) => after.student_id));
  const now = session.now.toISOString();
  // A new student may belong to the class since an earlier moment; former members come and go now.
  const joined = changes.filter(({ before, after }) => before === null && after.status === 'active');
  const from = joined.reduce((first, { after }) => (after.since < first ? after.since : first), now);
  const touched = await session.query(TOUCHED, session.org_id, clazz_id, [...students], closed_at ?? from);
  if (touched.length === 0) return;
  const { policy, lessons } = await lockSeats(
    session,
    touched.map((row) => row.id),
  );
  const theirs = lessons.map((state) => ({
    ...state,
    seats: state.seats.filter((seat) => students.has(seat.student_id)),
  }));
  const reason = why ?? 'the enrolment was changed';
  const because = from < now ? 'enrolment dated back' : 'enrolment changed';
  await runCascade(session, { policy, lessons: theirs, reason, because, said: why });
};
