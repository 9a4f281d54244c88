import { type courseCalls, courseEvents, CourseFields } from '@teaching/contracts';
import { type Handler, saveChanged } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { lockCourse } from './load-course.ts';
import { withNames } from './named.ts';
import { saveCourse } from './save-course.ts';

/** Absent keeps, `null` goes back to what a new course has. */
export const updateCourse: Handler<typeof courseCalls.updateCourse> = async ({ path, body }, session) => {
  const it = await lockCourse(session, path.id);
  session.reach.requireOwner(it.teacher_id);
  const teacher_id = session.reach.ownerOf(body.teacher_id ?? it.teacher_id);
  const answer = await saveChanged(
    session,
    it,
    { ...it, ...CourseFields.patched(it, body, { teacher_id }) },
    async (after) => {
      await saveCourse(session, COURSE.update, after);
      session.emit(courseEvents.courseUpdated, it.id, after);
    },
  );
  return withNames(session, answer);
};
