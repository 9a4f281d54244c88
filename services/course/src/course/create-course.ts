import { type courseCalls, courseEvents } from '@teaching/contracts';
import { type Handler, ownerOf, newRecord } from '@teaching/kit';
import { COURSE } from './course.table.ts';
import { saveCourse } from './save-course.ts';

export const createCourse: Handler<typeof courseCalls.create> = async ({ body }, session) => {
  const created = {
    ...newRecord(session),
    title: body.title,
    description: body.description ?? '',
    category_id: body.category_id ?? null,
    teacher_id: ownerOf(session.caller, body.teacher_id),
    status: body.status ?? ('draft' as const),
  };
  await saveCourse(session, COURSE.insert, created);
  session.emit(courseEvents.courseCreated, created.id, created);
  return created;
};
