import { type Item, packageCalls, packageEvents, unknownIds } from '@teaching/contracts';
import { newId, prepared, type Session, statement } from '@teaching/kit';
import { requireUnpublished } from '../package/package.rules.ts';
import { checkItems } from '../reference/check-references.ts';
import { planSync, type SyncPlan } from './sync.rules.ts';

const LOCK = statement<{ published_at: string | null; version: number }>(
  'select published_at, version from course_package where org_id = $1 and id = $2 for update',
);
/** Sent together with the lock, run after it: what it reads cannot change any more. */
const READ = statement<Item>(
  `select id, package_id, course_id, course_section_id, title, hours, position, note
   from course_package_item where org_id = $1 and package_id = $2`,
);
const DELETE = statement('delete from course_package_item where org_id = $1 and id = any($2::uuid[])');
const COLUMNS = 'id, course_id, course_section_id, title, hours, position, note';
const GIVEN = `unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::numeric[], $8::int[], $9::text[]) as i(${COLUMNS})`;
const CREATE = statement(
  `insert into course_package_item (org_id, package_id, ${COLUMNS}) select $1, $2, i.* from ${GIVEN}`,
);
/** Not one statement with the other: an upsert locks each row before it changes it, and writes that down, too. */
const UPDATE = statement(
  `update course_package_item as o
   set course_id = i.course_id, course_section_id = i.course_section_id, title = i.title, hours = i.hours,
       position = i.position, note = i.note
   from ${GIVEN} where o.org_id = $1 and o.package_id = $2 and o.id = i.id`,
);
const TOUCH = statement(
  'update course_package set version = version + 1, updated_at = $3 where org_id = $1 and id = $2',
);

const given = (rows: readonly Item[]): unknown[][] => [
  rows.map((row) => row.id),
  rows.map((row) => row.course_id),
  rows.map((row) => row.course_section_id),
  rows.map((row) => row.title),
  rows.map((row) => row.hours),
  rows.map((row) => row.position),
  rows.map((row) => row.note),
];

const save = (session: Session, package_id: string, { created, updated, deleted }: SyncPlan): void => {
  const of = [session.org_id, package_id];
  if (deleted.length > 0) session.run(DELETE, session.org_id, deleted);
  if (updated.length > 0) session.run(UPDATE, ...of, ...given(updated));
  if (created.length > 0) session.run(CREATE, ...of, ...given(created));
  session.run(TOUCH, ...of, session.now);
};

/**
 * Makes the items of a package exactly the wanted list, in one transaction. The package row is the lock:
 * a publish or another sync of the same package waits.
 */
export const syncItems = prepared(packageCalls.syncItems, {
  prepare: ({ body }, session) => checkItems(session, body.items),
  run: async ({ body }, session) => {
    const [locked, stored] = await Promise.all([
      session.one(LOCK, session.org_id, body.package_id),
      session.query(READ, session.org_id, body.package_id),
    ]);
    if (locked === undefined) throw unknownIds([{ path: '/body/package_id', message: 'does not exist' }]);
    session.checkVersion(locked.version);
    requireUnpublished(locked);
    const plan = planSync(body.package_id, stored, body.items, newId);
    const { created, updated, deleted, unchanged, items } = plan;
    if (created.length + updated.length + deleted.length > 0) {
      save(session, body.package_id, plan);
      session.emit(packageEvents.itemsSynced, body.package_id, {
        package_id: body.package_id,
        version: locked.version + 1,
        created: created.map((item) => item.id),
        updated: updated.map((item) => item.id),
        deleted,
      });
    }
    return { items, created: created.length, updated: updated.length, deleted: deleted.length, unchanged };
  },
});
