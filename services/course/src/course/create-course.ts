import { type courseCalls, courseEvents, CourseFields } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { withNames } from './named.ts';
import { saveCourse } from './save-course.ts';

export const createCourse: Handler<typeof courseCalls.createCourse> = async ({ body }, session) => {
  const teacher_id = session.reach.ownerOf(body.teacher_id);
  const created = { ...newRecord(session), ...CourseFields.filled(body, { teacher_id }) };
  await saveCourse(session, COURSE.insert, created);
  session.emit(courseEvents.courseCreated, created.id, created);
  return withNames(session, created);
};
