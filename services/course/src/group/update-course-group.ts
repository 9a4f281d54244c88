import { courseEvents, type courseGroupCalls, GroupFields } from '@teaching/contracts';
import { type Handler, saveChanged } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { lockGroup } from './lock-group.ts';

/** Absent keeps, `null` goes back to what a new group has. */
export const updateCourseGroup: Handler<typeof courseGroupCalls.updateCourseGroup> = async (
  { path, body },
  session,
) => {
  const it = await lockGroup(session, path.id);
  const owner_id = session.reach.ownerOf(body.owner_id ?? it.owner_id);
  const wanted = { ...it, ...GroupFields.patched(it, body, { owner_id }) };
  const answer = await saveChanged(session, it, wanted, (after) => {
    session.update(GROUP, after);
    session.emit(courseEvents.groupUpdated, it.id, after);
  });
  return { ...answer, ...(await readCourses(session, it.id)) };
};
