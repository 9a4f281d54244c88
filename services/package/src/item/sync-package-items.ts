import { packageCalls, packageEvents, unknownIds } from '@teaching/contracts';
import { newId, prepared, type Session, statement } from '@teaching/kit';
import { requireUnpublished } from '../package/package.rules.ts';
import { PACKAGE } from '../package/package.table.ts';
import { trustNamedBy, unknownReferences } from '../reference/check-references.ts';
import { ITEM, ITEMS } from './item.table.ts';
import { planSync, type SyncPlan, unknownItems } from './sync.rules.ts';

const STATE = PACKAGE.some('published_at', 'version');
const LOCK = statement(
  `select ${STATE.columns} from course_package where org_id = $1 and id = $2 for update`,
  STATE.shape,
);
const DELETE = statement('delete from course_package_item where org_id = $1 and id = any($2::uuid[])');
const changing = Object.keys(ITEM.without('org_id', 'id').shape).map((column) => `${column} = excluded.${column}`);
/** What is new and what changed: one statement costs less than two. */
const SAVE = statement(
  `insert into course_package_item (${ITEM.columns})
   select ${ITEM.columns} from ${ITEM.given('$1')}
   on conflict (org_id, id) do update set ${changing.join(', ')}`,
);
/** Every write of items runs this, too: cached lists of items go by it. */
const TOUCH = statement(
  'update course_package set version = version + 1, updated_at = $3 where org_id = $1 and id = $2',
);

const unknownPackage = { path: '/body/package_id', message: 'does not exist' };

const save = (session: Session, package_id: string, { created, updated, deleted }: SyncPlan): void => {
  const { org_id } = session;
  if (deleted.length > 0) session.run(DELETE, org_id, deleted);
  const saved = [...updated, ...created].map((item) => ({ org_id, ...item }));
  if (saved.length > 0) session.run(SAVE, ITEM.rows(saved));
  session.run(TOUCH, org_id, package_id, session.now);
};

/**
 * Makes the items of a package exactly the wanted list, in one transaction. The package row is the lock:
 * a publish or another sync of the same package waits.
 */
export const syncPackageItems = prepared(packageCalls.syncPackageItems, {
  prepare: ({ body }, session) => unknownReferences(session, body.items),
  run: async ({ body }, session, elsewhere) => {
    // Sent together and run in order: the items that the second reads cannot change any more.
    const [locked, stored] = await Promise.all([
      session.one(LOCK, session.org_id, body.package_id),
      session.query(ITEMS, session.org_id, body.package_id),
    ]);
    if (locked === undefined) throw unknownIds([unknownPackage, ...elsewhere]);
    const unknown = [...unknownItems(stored, body.items), ...elsewhere];
    if (unknown.length > 0) throw unknownIds(unknown);
    session.checkVersion(locked.version);
    requireUnpublished(locked);
    const plan = planSync(body.package_id, stored, body.items, newId);
    const { created, updated, deleted, unchanged, items } = plan;
    trustNamedBy(session, stored);
    if (created.length + updated.length + deleted.length > 0) {
      const version = locked.version + 1;
      save(session, body.package_id, plan);
      session.emit(packageEvents.itemsSynced, body.package_id, {
        package_id: body.package_id,
        version,
        created: created.map((item) => item.id),
        updated: updated.map((item) => item.id),
        deleted,
      });
    }
    return { items, created: created.length, updated: updated.length, deleted: deleted.length, unchanged };
  },
});
