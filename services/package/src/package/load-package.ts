import { notFound, type Package, type packageEvents } from '@teaching/contracts';
import { requireVersion, saveChanged, type Session, statement } from '@teaching/kit';
import { isOnSale } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';

/** Loads and locks one package of the caller's org, and honours `If-Match`. */
export const lockPackage = async (session: Session, id: string): Promise<Package> =>
  requireVersion(session, await session.lock(PACKAGE, id), 'Package');

const STATE = PACKAGE.pick('active', 'published_at', 'version', 'updated_at');
const READ_STATE = statement(`select ${STATE.columns} from course_package where org_id = $1 and id = $2`, STATE.shape);
/** What decides who sees a package and whether it changed, without its snapshot; `undefined` when there is none. */
export const readState = (session: Session, id: string) => session.one(READ_STATE, session.org_id, id);

/** What was found, if the caller may see it; else it is not there for them. */
export const requireVisible = <P extends Pick<Package, 'active' | 'published_at'>>(
  { reach }: Session,
  found: P | undefined,
): P => {
  if (found === undefined || !reach.covers({ offered: isOnSale(found) })) throw notFound('Package');
  return found;
};

/** The snapshot is large, and only publishing changes it. */
const BUT_SNAPSHOT = PACKAGE.updateWithout('published_snapshot');

/** Saves a locked package as it is to be, and emits the event. */
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
