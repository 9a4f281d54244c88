import { notFound, type Package } from '@teaching/contracts';
import { rowsOf, type Session, type Statement } from '@teaching/kit';
import { PACKAGE } from './package.table.ts';

/** Loads and locks one package of the caller's org, and honours `If-Match`. */
export const lockPackage = async (session: Session, id: string): Promise<Package> => {
  const found = await session.one(PACKAGE.lock, session.org_id, id);
  if (found === undefined) throw notFound('Package');
  session.checkVersion(found.version);
  return found;
};

/** The snapshot is large, and only publishing changes it. */
const UPDATE = PACKAGE.updateWithout('published_snapshot');

/** Saves a locked package as it is to be: next version, time of change. */
export const savePackage = (session: Session, it: Package, how: Statement<unknown> = UPDATE): Package => {
  const saved = { ...it, version: it.version + 1, updated_at: session.now.toISOString() };
  session.run(how, rowsOf(saved));
  return saved;
};
