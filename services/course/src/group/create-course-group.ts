import { courseEvents, type courseGroupCalls, GroupFields } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';

export const createCourseGroup: Handler<typeof courseGroupCalls.createCourseGroup> = async ({ body }, session) => {
  const owner_id = session.reach.ownerOf(body.owner_id);
  const created = { ...newRecord(session), ...GroupFields.filled(body, { owner_id }) };
  session.insert(GROUP, created);
  session.emit(courseEvents.groupCreated, created.id, created);
  return { ...created, ...(await readCourses(session, created.id)) };
};
