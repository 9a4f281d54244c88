import { type Item, packageCalls, packageEvents, unknownIds } from '@teaching/contracts';
import { newId, twoStepHandler, type Session, statement } from '@teaching/kit';
import { requireUnpublished } from '../package/package.rules.ts';
import { PACKAGE } from '../package/package.table.ts';
import { trustStoredReferences, unknownReferences } from '../reference/check-references.ts';
import { ITEM, ITEMS_OF_PACKAGE } from './item.table.ts';
import { planSync, type SyncPlan, unknownItems } from './sync.rules.ts';

const STATE = PACKAGE.pick('published_at', 'version', 'updated_at');
const LOCK = statement(
  `select ${STATE.columns} from course_package where org_id = $1 and id = $2 for update`,
  STATE.shape,
);
const assignments = Object.keys(ITEM.omit('org_id', 'id').shape).map((column) => `${column} = excluded.${column}`);
/** Inserts new items and updates changed ones. One statement costs less than two. */
const SAVE = statement(
  `insert into course_package_item (${ITEM.columns})
   select ${ITEM.columns} from ${ITEM.rowsFrom('$1')}
   on conflict (org_id, id) do update set ${assignments.join(', ')}`,
);
/**
 * Deletes items and changes the package's version and time. Every write of items runs it: cached lists depend on it.
 */
const TOUCH = statement(
  `with deleted as (delete from course_package_item where org_id = $1 and id = any($4::uuid[]))
   update course_package set version = version + 1, updated_at = $3 where org_id = $1 and id = $2`,
);

/** The cache of edits holds this many packages, and no package with more items than this. */
const MOST_PACKAGES = 500;
const MOST_ITEMS = 200;
interface Edit {
  state: string;
  items: readonly Item[];
}
/**
 * A cache of the items of packages after the last edit by this instance, with the state of the package after it. The
 * state is compared under the lock that every edit takes (ADR 38).
 */
const lastEdits = new Map<string, Edit>();
const keyOf = (session: Session, package_id: string): string => `${session.org_id} ${package_id}`;
const stateOf = (version: number, updated_at: string): string => `${version} ${updated_at}`;

const cacheEdit = (key: string, edit: Edit): void => {
  lastEdits.delete(key);
  if (edit.items.length <= MOST_ITEMS) lastEdits.set(key, edit);
  const [oldest] = lastEdits.keys();
  if (lastEdits.size > MOST_PACKAGES && oldest !== undefined) lastEdits.delete(oldest);
};

const unknownPackage = { path: '/body/package_id', message: 'does not exist' };

const save = (session: Session, package_id: string, { created, updated, deleted }: SyncPlan): void => {
  const { org_id } = session;
  const saved = [...updated, ...created].map((item) => ({ org_id, ...item }));
  session.run(TOUCH, org_id, package_id, session.now, deleted);
  if (saved.length > 0) session.run(SAVE, ITEM.toJson(saved));
};

/**
 * Locks the package and returns its items: from the cache if its state has not changed since, else from the database.
 */
const lockItems = async (session: Session, package_id: string) => {
  const edit = lastEdits.get(keyOf(session, package_id));
  // Both are sent together and run in order: the items are read under the lock.
  const [locked, read] = await Promise.all([
    session.queryOne(LOCK, session.org_id, package_id),
    edit === undefined ? session.query(ITEMS_OF_PACKAGE, session.org_id, package_id) : undefined,
  ]);
  if (locked === undefined) return undefined;
  const isSame = edit?.state === stateOf(locked.version, locked.updated_at);
  const stored =
    read ?? (isSame ? edit?.items : undefined) ?? (await session.query(ITEMS_OF_PACKAGE, session.org_id, package_id));
  return { ...locked, stored };
};

/**
 * Replaces the items of a package by the given list, in one transaction. It locks the package row, so a publish or
 * another sync of the same package waits.
 */
export const syncPackageItems = twoStepHandler(packageCalls.syncPackageItems, {
  prepare: ({ body }, session) => unknownReferences(session, body.items),
  run: async ({ body }, session, unknownReferenceProblems) => {
    const locked = await lockItems(session, body.package_id);
    if (locked === undefined) throw unknownIds([unknownPackage, ...unknownReferenceProblems]);
    const { stored } = locked;
    const unknown = [...unknownItems(stored, body.items), ...unknownReferenceProblems];
    if (unknown.length > 0) throw unknownIds(unknown);
    session.checkVersion(locked.version);
    requireUnpublished(locked);
    const plan = planSync(body.package_id, stored, body.items, newId);
    const { created, updated, deleted, unchanged, items } = plan;
    trustStoredReferences(session, stored);
    if (created.length + updated.length + deleted.length > 0) {
      const version = locked.version + 1;
      save(session, body.package_id, plan);
      const edit = { state: stateOf(version, session.now.toISOString()), items };
      session.afterCommit(() => cacheEdit(keyOf(session, body.package_id), edit));
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
