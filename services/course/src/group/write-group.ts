import { courseEvents, type courseGroupCalls } from '@teaching/contracts';
import { type Handler, rowsOf, ownerOf, newRecord, touched } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { lockGroup } from './load-group.ts';

export const createGroup: Handler<typeof courseGroupCalls.create> = async ({ body }, session) => {
  const created = {
    ...newRecord(session),
    name: body.name,
    description: body.description ?? '',
    owner_id: ownerOf(session.caller, body.owner_id),
    org_visible: body.org_visible ?? false,
  };
  session.run(GROUP.insert, rowsOf(created));
  session.emit(courseEvents.groupCreated, created.id, created);
  return { ...created, courses: [] };
};

/** Absent keeps, `null` goes back to what a new group has. */
export const updateGroup: Handler<typeof courseGroupCalls.update> = async ({ path, body }, session) => {
  const it = await lockGroup(session, path.id);
  if (body.name !== undefined) it.name = body.name;
  if (body.description !== undefined) it.description = body.description ?? '';
  if (body.org_visible !== undefined) it.org_visible = body.org_visible ?? false;
  if (body.owner_id !== undefined && body.owner_id !== it.owner_id) {
    it.owner_id = ownerOf(session.caller, body.owner_id);
  }
  const answer = touched(it, session);
  session.run(GROUP.update, rowsOf(answer));
  session.emit(courseEvents.groupUpdated, it.id, answer);
  return { ...answer, courses: await readCourses(session, it.id) };
};

export const removeGroup: Handler<typeof courseGroupCalls.remove> = async ({ path }, session) => {
  const it = await lockGroup(session, path.id);
  session.run(GROUP.remove, session.org_id, it.id);
  session.emit(courseEvents.groupDeleted, it.id, { id: it.id });
  return null;
};
