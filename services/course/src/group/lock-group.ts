import { notFound } from '@teaching/contracts';
import { requireOwner, type Row, type Session } from '@teaching/kit';
import { GROUP } from './group.table.ts';
import { maySee } from './group.rules.ts';

/** Loads and locks a group, without its courses, for a change by its owner or a supervisor. */
export const lockGroup = async (session: Session, id: string): Promise<Row<typeof GROUP>> => {
  const found = await session.lock(GROUP, id);
  if (found === undefined || !maySee(session.caller, found)) throw notFound('Group');
  requireOwner(session.caller, found.owner_id);
  session.checkVersion(found.version);
  return found;
};
