import { courseEvents, type courseGroupCalls } from '@teaching/contracts';
import { type Handler, newId } from '@teaching/kit';
import { ownerOf } from '../shared/access.rules.ts';
import { newRecord, touch } from '../shared/record.ts';
import { readCourses } from './group-courses.ts';
import { GroupEntity, toGroup } from './group.entity.ts';
import { lockGroup } from './load-group.ts';

export const createGroup: Handler<typeof courseGroupCalls.create> = async ({ body }, session) => {
  const em = await session.entities();
  const created = em.create(GroupEntity, {
    ...newRecord(session, newId()),
    name: body.name,
    description: body.description ?? '',
    owner_id: ownerOf(session.caller, body.owner_id),
    org_visible: body.org_visible ?? false,
  });
  const answer = toGroup(created);
  session.emit(courseEvents.groupCreated, created.id, answer);
  return { ...answer, courses: [] };
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
  touch(it, session);
  const answer = toGroup(it);
  session.emit(courseEvents.groupUpdated, it.id, answer);
  return { ...answer, courses: await readCourses(session, it.id) };
};

export const removeGroup: Handler<typeof courseGroupCalls.remove> = async ({ path }, session) => {
  const it = await lockGroup(session, path.id);
  (await session.entities()).remove(it);
  session.emit(courseEvents.groupDeleted, it.id, { id: it.id });
  return null;
};
