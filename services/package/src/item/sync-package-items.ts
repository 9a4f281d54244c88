import { type Item, packageCalls, packageEvents, unknownIds } from '@teaching/contracts';
import { newId, prepared, type Session, statement } from '@teaching/kit';
import { requireUnpublished } from '../package/package.rules.ts';
import { PACKAGE } from '../package/package.table.ts';
import { trustNamedBy, unknownReferences } from '../reference/check-references.ts';
import { ITEM, ITEMS } from './item.table.ts';
import { edited, keyOf, charactersOf, stateOf } from './kept-lists.ts';
import { planSync, type SyncPlan, unknownItems } from './sync.rules.ts';

const STATE = PACKAGE.some('published_at', 'version', 'updated_at');
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
/** Whoever writes items does this as well: lists that are kept go by it (ADR 34). */
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
 * Locks the package and answers its items: as they are kept, if it still is as it was then; undefined when there is no such
 * package. Where nothing is kept both statements are sent together and run in order: what the second reads cannot change any more.
 */
const lockItems = async (session: Session, package_id: string) => {
  const { org_id } = session;
  const key = keyOf(session, package_id);
  const [locked, read] = await Promise.all([
    session.one(LOCK, org_id, package_id),
    edited.peek(key) === undefined ? session.query(ITEMS, org_id, package_id) : undefined,
  ]);
  if (locked === undefined) return undefined;
  const stored = read ?? edited.find(key, stateOf(locked)) ?? (await session.query(ITEMS, org_id, package_id));
  return { ...locked, stored };
};

/** Keeps the items as they will be, for the next edit. */
const keepItems = (session: Session, package_id: string, version: number, items: readonly Item[]): void => {
  const key = keyOf(session, package_id);
  if (!edited.isAskedAgain(key)) return;
  const state = stateOf({ version, updated_at: session.now.toISOString() });
  session.afterCommit(() => edited.keep(key, state, items, charactersOf(items)));
};

/**
 * Makes the items of a package exactly the wanted list, in one transaction. The package row is the lock:
 * a publish or another sync of the same package waits.
 */
export const syncPackageItems = prepared(packageCalls.syncPackageItems, {
  prepare: ({ body }, session) => unknownReferences(session, body.items),
  run: async ({ body }, session, elsewhere) => {
    const locked = await lockItems(session, body.package_id);
    if (locked === undefined) throw unknownIds([unknownPackage, ...elsewhere]);
    const { stored } = locked;
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
      keepItems(session, body.package_id, version, items);
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
