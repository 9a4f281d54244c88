import type { Enrolment } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/lesson.table.ts';
import { lockSeats } from './load-seats.ts';
import { runCascade } from './run-cascade.ts';

/** Lessons from now on at which these students are marked or have leave: membership never changes in the past. */
const TOUCHED = statement(
  `select l.id from lesson l
   where l.org_id = $1 and l.clazz_id = $2 and l.starts_at >= $4
     and (exists (select from leave v where v.org_id = $1 and v.lesson_id = l.id and v.student_id = any($3::text[])
         and (v.status in ('pending', 'approved') or v.ended_from is not null))
       or exists (select from mark_revision m where m.org_id = $1 and m.lesson_id = l.id
         and m.student_id = any($3::text[])))`,
  LESSON.some('id').shape,
);

/**
 * The cascade's entry for enrolment changes: called inside the transaction by whatever enrols, suspends,
 * resumes, withdraws, transfers, completes or reopens, after enrolments and periods were written and
 * before the lessons of the class are touched. `before` is null for a new enrolment; all changes are of
 * one class. A student whose `after.status` is not `active` has left as of `session.now`.
 */
export const enrolmentsChanged = async (
  session: Session,
  clazz_id: string,
  changes: readonly { before: Enrolment | null; after: Enrolment }[],
): Promise<void> => {
  const students = new Set(changes.map(({ after }) => after.student_id));
  const touched = await session.query(TOUCHED, session.org_id, clazz_id, [...students], session.now);
  if (touched.length === 0) return;
  const { policy, lessons } = await lockSeats(
    session,
    touched.map((row) => row.id),
  );
  const theirs = lessons.map((state) => ({
    ...state,
    seats: state.seats.filter((seat) => students.has(seat.student_id)),
  }));
  const reason = 'the enrolment was changed';
  await runCascade(session, { policy, lessons: theirs, reason, because: 'enrolment changed' });
};
