import { LockMode } from '@mikro-orm/postgresql';
import { type courseGroupCalls, notFound } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireOwner } from '../shared/access.rules.ts';
import { readCourses } from './group-courses.ts';
import { GroupEntity, toGroup } from './group.entity.ts';
import { maySee } from './group.rules.ts';

/** Loads and locks a group for a change by its owner or a supervisor. */
export const lockGroup = async (session: Session, id: string): Promise<GroupEntity> => {
  const em = await session.entities();
  const found = await em.findOne(GroupEntity, { org_id: session.org_id, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (found === null || !maySee(session.caller, found)) throw notFound('Group');
  requireOwner(session.caller, found.owner_id);
  session.checkVersion(found.version);
  return found;
};

export const getGroup: Handler<typeof courseGroupCalls.get> = async ({ path }, session) => {
  const em = await session.entities();
  const found = await em.findOne(GroupEntity, { org_id: session.org_id, id: path.id });
  if (found === null || !maySee(session.caller, found)) throw notFound('Group');
  return { ...toGroup(found), courses: await readCourses(session, found.id) };
};
