import { type Item, type packageCalls, packageEvents, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { lockPackage, savePackage } from '../package/load-package.ts';
import { requireOwner, requireUnpublished } from '../package/package.rules.ts';
import { PACKAGE, toPackageRow } from '../package/package.table.ts';
import { takeSnapshot } from './snapshot.rules.ts';

const ITEMS = statement<Item>(
  `select id, package_id, course_id, course_section_id, title, hours, position, note
   from course_package_item where org_id = $1 and package_id = $2 order by position`,
);
const STORE = statement(
  `insert into course_package_version (org_id, package_id, number, snapshot, published_at, published_by)
   values ($1, $2, $3, $4, $5, $6)`,
);

/** unpublished → published (spec part 3): takes the snapshot, stores it as the next version, locks. */
export const publishPackage: Handler<typeof packageCalls.publish> = async ({ path }, session) => {
  const it = await lockPackage(session, path.id);
  requireOwner(session.caller, it);
  requireUnpublished(it);
  const items = await session.query(ITEMS, session.org_id, it.id);
  if (items.length === 0) throw new Problem('package_empty');
  const at = session.now.toISOString();
  const by = session.caller.user_id;
  const snapshot = takeSnapshot(it, items, by, at);
  const number = (it.published_version ?? 0) + 1;
  const published = { ...it, published_at: at, published_snapshot: snapshot, published_version: number };
  const answer = savePackage(session, published, PACKAGE.update);
  session.run(STORE, session.org_id, it.id, number, JSON.stringify(snapshot), at, by);
  session.emit(packageEvents.published, it.id, { ...toPackageRow(answer), sha256: snapshot.sha256 });
  return answer;
};
