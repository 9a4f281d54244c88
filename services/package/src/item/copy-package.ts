import { type Package, type packageCalls, packageEvents, notFound } from '@teaching/contracts';
import { type Handler, newId, newRecord, statement } from '@teaching/kit';
import { LISTED, PACKAGE, toPackageRow } from '../package/package.table.ts';
import { NEVER_PUBLISHED } from '../package/package.rules.ts';
import { ITEM, ITEMS } from './item.table.ts';

/**
 * Whoever changes the package or its items waits. So what it refers to needs no asking: a deletion that asks before the
 * copy is there finds the original, one that asks afterwards finds both.
 */
const HOLD = statement(
  `select ${LISTED.columns} from course_package where org_id = $1 and id = $2 for share`,
  LISTED.shape,
);

/** An unpublished package of the caller's own with the items of the original. */
export const copyPackage: Handler<typeof packageCalls.copyPackage> = async ({ path, body }, session) => {
  const { org_id } = session;
  // Sent together and run in order: the second reads what the first holds.
  const [it, items] = await Promise.all([session.one(HOLD, org_id, path.id), session.query(ITEMS, org_id, path.id)]);
  if (it === undefined) throw notFound('Package');
  const mine = { title: body?.title ?? it.title, teacher_id: session.caller.user_id };
  const copy: Package = { ...it, ...newRecord(session), ...mine, ...NEVER_PUBLISHED };
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
