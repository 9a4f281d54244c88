import type { Session } from '@teaching/kit';
import { isListed, isMarked, type LessonState, type Seat } from '../cascade/cascade.rules.ts';
import { setUnmarked, updateExpectedSeats } from '../record/expected-students.ts';

/**
 * Records the listed students without a mark: all of them at the first roll call, later only those whose mark was
 * withdrawn.
 */
export const recordMissingMarks = (session: Session, before: LessonState, after: readonly Seat[]): void => {
  const listed = after.filter(isListed);
  const { id: lesson_id, status } = before.lesson;
  const wasMarked = new Set(before.seats.filter(isMarked).map((seat) => seat.student_id));
  const seats = listed.map((seat) => ({ lesson_id, student_id: seat.student_id, unmarked: !isMarked(seat) }));
  const isListedNow = new Set(listed.map((seat) => seat.student_id));
  const unlisted = [...wasMarked].filter((student_id) => !isListedNow.has(student_id));
  updateExpectedSeats(
    session,
    unlisted.map((student_id) => ({ lesson_id, student_id })),
  );
  const isFirst = status !== 'held';
  setUnmarked(
    session,
    // Students who joined after the first roll call are not recorded as missing.
    seats.filter(({ unmarked, student_id }) => (unmarked ? isFirst || wasMarked.has(student_id) : !isFirst)),
  );
};
