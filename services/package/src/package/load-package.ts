import { notFound, type Package, type packageEvents } from '@teaching/contracts';
import { requireVersion, saveChanged, type Session, statement } from '@teaching/kit';
import { isOnSale } from './package.rules.ts';
import { PACKAGE, toPackageRow } from './package.table.ts';

/** Loads and locks one package of the caller's org. Refuses with 404 if there is none, and applies `If-Match` (412). */
export const lockPackage = async (session: Session, id: string): Promise<Package> =>
  requireVersion(session, await session.lock(PACKAGE, id), 'Package');

const STATE = PACKAGE.pick('active', 'published_at', 'version', 'updated_at');
const READ_STATE = statement(`select ${STATE.columns} from course_package where org_id = $1 and id = $2`, STATE.shape);
/**
 * Reads the columns that decide access to a package and show changes, without the snapshot. Undefined if there is
 * none.
 */
export const readPackageState = (session: Session, id: string) => session.queryOne(READ_STATE, session.org_id, id);

/** Returns the package if the caller may read it. Else refuses with 404. */
export const requireVisible = <P extends Pick<Package, 'active' | 'published_at'>>(
  { access }: Session,
  found: P | undefined,
): P => {
  if (found === undefined || !access.allows({ offered: isOnSale(found) })) throw notFound('Package');
  return found;
};

/** Leaves out the snapshot, which is large and is changed only by publishing. */
const WITHOUT_SNAPSHOT = PACKAGE.updateWithout('published_snapshot');

/** Saves the changes of a locked package and emits the event. */
export const savePackage = (
  session: Session,
  before: Package,
  wanted: Package,
  event: typeof packageEvents.updated,
): Promise<Package> =>
  saveChanged(session, before, wanted, (after) => {
    session.update(WITHOUT_SNAPSHOT, after);
    session.emit(event, after.id, toPackageRow(after));
  });
