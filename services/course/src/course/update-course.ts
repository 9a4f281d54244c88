import { type courseCalls, courseEvents } from '@teaching/contracts';
import { type Handler, ownerOf, requireOwner, touched } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { lockCourse, saveCourse } from './save-course.ts';

/** Absent keeps, `null` goes back to what a new course has. */
export const updateCourse: Handler<typeof courseCalls.update> = async ({ path, body }, session) => {
  const it = await lockCourse(session, path.id);
  requireOwner(session.caller, it.teacher_id);
  if (body.title !== undefined) it.title = body.title;
  if (body.description !== undefined) it.description = body.description ?? '';
  if (body.category_id !== undefined) it.category_id = body.category_id;
  if (body.status !== undefined) it.status = body.status ?? 'draft';
  if (body.teacher_id !== undefined && body.teacher_id !== it.teacher_id) {
    it.teacher_id = ownerOf(session.caller, body.teacher_id);
  }
  const answer = touched(it, session);
  await saveCourse(session, COURSE.update, answer);
  session.emit(courseEvents.courseUpdated, it.id, answer);
  return answer;
};
