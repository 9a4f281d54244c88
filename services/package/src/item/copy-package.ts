import { type Package, type packageCalls, packageEvents, notFound } from '@teaching/contracts';
import { type Handler, newId, newRecord, statement } from '@teaching/kit';
import { LISTED_PACKAGE, PACKAGE, toPackageRow } from '../package/package.table.ts';
import { NEVER_PUBLISHED } from '../package/package.rules.ts';
import { ITEM, ITEMS_OF_PACKAGE } from './item.table.ts';

/**
 * The lock makes changes of the package and its items wait. So the references of the copy need no check: a deletion
 * that asks before the copy is stored finds the original, and one that asks later finds both.
 */
const LOCK_SHARED = statement(
  `select ${LISTED_PACKAGE.columns} from course_package where org_id = $1 and id = $2 for share`,
  LISTED_PACKAGE.shape,
);

/** Creates an unpublished package that the caller owns, with the items of the original. */
export const copyPackage: Handler<typeof packageCalls.copyPackage> = async ({ path, body }, session) => {
  const { org_id } = session;
  // Both are sent together and run in order: the items are read under the lock.
  const [original, items] = await Promise.all([
    session.queryOne(LOCK_SHARED, org_id, path.id),
    session.query(ITEMS_OF_PACKAGE, org_id, path.id),
  ]);
  if (original === undefined) throw notFound('Package');
  const ownFields = { title: body?.title ?? original.title, teacher_id: session.caller.user_id };
  const copy: Package = { ...original, ...newRecord(session), ...ownFields, ...NEVER_PUBLISHED };
  const copies = items.map((item) => ({ ...item, org_id, id: newId(), package_id: copy.id }));
  session.insert(PACKAGE, copy);
  session.insert(ITEM, ...copies);
  session.emit(packageEvents.created, copy.id, toPackageRow(copy));
  if (copies.length > 0) {
    const created = copies.map(({ id }) => id);
    session.emit(packageEvents.itemsSynced, copy.id, {
      package_id: copy.id,
      version: copy.version,
      created,
      updated: [],
      deleted: [],
    });
  }
  return copy;
};
