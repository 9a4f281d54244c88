import type { Policy } from '@teaching/contracts';
import { bookOf, type Books } from '../hours/open-books.ts';
import { owesTooMuch, type Short, shortOf } from '../hours/overdraft.rules.ts';
import type { Marked } from './lesson-state.ts';

/** Gives back and charges anew in the books of all students whose mark moves hours. Answers who is short then. */
export const moveHours = (
  books: Books,
  moving: readonly Marked[],
  { policy, actor_id }: { policy: Policy; actor_id: string },
  reason: string | null,
): Short[] => {
  const cause = { actor_id, reason, policy_version: policy.version };
  const short: Short[] = [];
  for (const { state, seat, outcome } of moving) {
    const book = bookOf(books, seat.student_id);
    const { lesson, clazz } = state;
    const debt = book.debt;
    book.giveBack(lesson.id, cause);
    const { balance } = book;
    const { charged_hours, revision } = outcome.mark;
    const { course_id } = clazz;
    if (charged_hours > 0) {
      const { id: lesson_id, starts_at } = lesson;
      book.charge(charged_hours, { ...cause, lesson_id, starts_at, mark_revision: revision, course_id });
    }
    book.settle();
    if (owesTooMuch(policy, debt, book.debt)) short.push(shortOf(book, balance, charged_hours));
  }
  return short;
};
