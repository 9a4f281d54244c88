import type { Package } from '@teaching/contracts';
import { asKnown, type Session, statement, touched } from '@teaching/kit';
import { PACKAGE } from './package.table.ts';

/** Loads and locks one package of the caller's org, and honours `If-Match`. */
export const lockPackage = async (session: Session, id: string): Promise<Package> =>
  asKnown(session, await session.lock(PACKAGE, id), 'Package');

const SEEN = PACKAGE.some('active', 'published_at');
const READ_SEEN = statement(`select ${SEEN.columns} from course_package where org_id = $1 and id = $2`, SEEN.shape);
/** What decides who sees a package, without its snapshot; `undefined` when there is none. */
export const readSeen = (session: Session, id: string) => session.one(READ_SEEN, session.org_id, id);

/** The snapshot is large, and only publishing changes it. */
const BUT_SNAPSHOT = PACKAGE.updateWithout('published_snapshot');

/** Saves a locked package as it is to be: next version, time of change. */
export const savePackage = (session: Session, it: Package): Package => {
  const saved = touched(it, session);
  session.update(BUT_SNAPSHOT, saved);
  return saved;
};
