import type { Package, packageEvents } from '@teaching/contracts';
import { asKnown, saveChanged, type Session, statement } from '@teaching/kit';
import { PACKAGE, toPackageRow } from './package.table.ts';

/** Loads and locks one package of the caller's org, and honours `If-Match`. */
export const lockPackage = async (session: Session, id: string): Promise<Package> =>
  asKnown(session, await session.lock(PACKAGE, id), 'Package');

const SEEN = PACKAGE.some('active', 'published_at');
const READ_SEEN = statement(`select ${SEEN.columns} from course_package where org_id = $1 and id = $2`, SEEN.shape);
/** What decides who sees a package, without its snapshot; `undefined` when there is none. */
export const readSeen = (session: Session, id: string) => session.one(READ_SEEN, session.org_id, id);

/** The snapshot is large, and only publishing changes it. */
const BUT_SNAPSHOT = PACKAGE.updateWithout('published_snapshot');

/** Saves a locked package as it is to be, and tells it. */
export const savePackage = (
  session: Session,
  before: Package,
  wanted: Package,
  event: typeof packageEvents.updated,
): Promise<Package> =>
  saveChanged(session, before, wanted, (after) => {
    session.update(BUT_SNAPSHOT, after);
    session.emit(event, after.id, toPackageRow(after));
  });
