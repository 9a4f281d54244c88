import { type packageCalls, packageEvents, Problem } from '@teaching/contracts';
import { type Handler, nextVersion } from '@teaching/kit';
import { ITEMS_OF_PACKAGE } from '../item/item.table.ts';
import { lockPackage, savePackage } from '../package/load-package.ts';
import { requireComplete, requireUnpublished } from '../package/package.rules.ts';
import { PACKAGE, toPackageRow } from '../package/package.table.ts';
import { VERSION } from './version.table.ts';
import { takeSnapshot } from './version.rules.ts';

/** unpublished → published (spec part 3): takes the snapshot, stores it as the next version, and locks the package. */
export const publishPackage: Handler<typeof packageCalls.publishPackage> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  session.access.requireOwner(it.teacher_id);
  requireUnpublished(it);
  requireComplete(it);
  const items = await session.query(ITEMS_OF_PACKAGE, session.org_id, it.id);
  if (items.length === 0) throw new Problem('package_empty');
  const at = session.now.toISOString();
  const by = session.caller.user_id;
  const snapshot = takeSnapshot(it, items, by, at);
  const number = (it.published_version ?? 0) + 1;
  const published = { ...it, published_at: at, published_snapshot: snapshot, published_version: number };
  const answer = nextVersion(published, session);
  session.update(PACKAGE, answer);
  session.insert(VERSION, {
    org_id: session.org_id,
    package_id: it.id,
    number,
    snapshot,
    published_at: at,
    published_by: by,
  });
  session.emit(packageEvents.published, it.id, { ...toPackageRow(answer), sha256: snapshot.sha256 });
  return answer;
};

/** published → unpublished (spec part 3): the package can be changed again. Its snapshot and versions stay. */
export const unpublishPackage: Handler<typeof packageCalls.unpublishPackage> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  session.access.requireOwner(it.teacher_id);
  if (it.published_at === null) throw new Problem('package_not_published');
  return savePackage(session, it, { ...it, published_at: null }, packageEvents.unpublished);
};
