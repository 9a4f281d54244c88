import { courseEvents, type courseGroupCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { GROUP } from './group.table.ts';
import { lockGroup } from './lock-group.ts';

export const deleteCourseGroup: Handler<typeof courseGroupCalls.deleteCourseGroup> = async ({ path }, session) => {
  const it = await lockGroup(session, path.id);
  session.remove(GROUP, it.id);
  session.emit(courseEvents.groupDeleted, it.id, { id: it.id });
  return null;
};
