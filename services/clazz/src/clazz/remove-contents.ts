import type { Session } from '@teaching/kit';
import { removeLeaves } from '../cascade/remove-leaves.ts';
import { removeEnrolments } from '../people/remove-enrolments.ts';
import { lockLessons, removeLessons } from '../schedule/remove-lessons.ts';

/** Removes all that hangs from a locked class without marks, and tells of each: events and the audit trail. */
export const removeContents = async (session: Session, clazz_id: string): Promise<void> => {
  // First the lessons: nobody asks for leave from one, or books a make-up at one, any more.
  const lessons = await lockLessons(session, clazz_id);
  await removeLeaves(
    session,
    lessons.map(({ id }) => id),
  );
  removeLessons(session, clazz_id, lessons);
  await removeEnrolments(session, clazz_id);
};
