import { type courseGroupCalls, notFound } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { standingOf } from './group.rules.ts';

export const getCourseGroup: Handler<typeof courseGroupCalls.getCourseGroup> = async ({ path }, session) => {
  const found = await session.find(GROUP, path.id);
  if (found === undefined || !session.reach.covers(standingOf(found))) throw notFound('Group');
  return { ...found, ...(await readCourses(session, found.id)) };
};
