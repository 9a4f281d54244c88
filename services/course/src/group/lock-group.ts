import { notFound } from '@teaching/contracts';
import { type Row, type Session } from '@teaching/kit';
import { GROUP } from './group.table.ts';

/** Loads and locks a group, without its courses, for a change by its owner or a supervisor. */
export const lockGroup = async (session: Session, id: string): Promise<Row<typeof GROUP>> => {
  const found = await session.lock(GROUP, id);
  if (found === undefined) throw notFound('Group');
  if (!found.org_visible) session.reach.require({ owner: found.owner_id }, notFound('Group'));
  session.reach.requireOwner(found.owner_id);
  session.checkVersion(found.version);
  return found;
};
