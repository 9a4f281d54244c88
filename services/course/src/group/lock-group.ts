import { type CourseGroup, type courseGroupCalls, notFound } from '@teaching/contracts';
import { type Handler, type Session, requireOwner } from '@teaching/kit';
import { readCourses } from './group-courses.ts';
import { GROUP } from './group.table.ts';
import { maySee } from './group.rules.ts';

/** A group without its courses. */
export type Group = Omit<CourseGroup, 'courses'>;

/** Loads and locks a group for a change by its owner or a supervisor. */
export const lockGroup = async (session: Session, id: string): Promise<Group> => {
  const found = await session.one(GROUP.lock, session.org_id, id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Group');
  requireOwner(session.caller, found.owner_id);
  session.checkVersion(found.version);
  return found;
};

export const getGroup: Handler<typeof courseGroupCalls.get> = async ({ path }, session) => {
  const found = await session.one(GROUP.read, session.org_id, path.id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Group');
  return { ...found, courses: await readCourses(session, found.id) };
};
