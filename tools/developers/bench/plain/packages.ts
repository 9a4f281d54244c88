import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { poolOf } from './replies.ts';

const pool = poolOf('package');

interface Item {
  id: string;
  package_id: string;
  course_id: string;
  course_section_id: string | null;
  title: string;
  hours: string;
  position: number;
  note: string | null;
}
type Wanted = Pick<Item, 'course_id' | 'title' | 'hours'> & Partial<Item>;

const ITEM_COLUMNS = 'id, package_id, course_id, course_section_id, title, hours, position, note';
const ITEMS = `select ${ITEM_COLUMNS} from course_package_item where org_id = $1 and package_id = $2`;
const LOCK = 'select published_at, version from course_package where org_id = $1 and id = $2 for update';
const DELETE = 'delete from course_package_item where org_id = $1 and id = any($2::uuid[])';
const SAVE = `
  insert into course_package_item (org_id, package_id, id, course_id, course_section_id, title, hours, position, note)
  select $1, $2, i.* from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::numeric[], $8::int[], $9::text[]) as i
  on conflict (org_id, id) do update
  set course_id = excluded.course_id, course_section_id = excluded.course_section_id, title = excluded.title,
      hours = excluded.hours, position = excluded.position, note = excluded.note`;
const TOUCH = 'update course_package set version = version + 1, updated_at = $3 where org_id = $1 and id = $2';

const same = (a: Item, b: Item | undefined): boolean =>
  b !== undefined &&
  a.course_id === b.course_id &&
  a.course_section_id === b.course_section_id &&
  a.title === b.title &&
  a.hours === b.hours &&
  a.position === b.position &&
  a.note === b.note;

const save = async (client: pg.PoolClient, org: string, package_id: string, rows: Item[], gone: string[]) => {
  if (gone.length > 0) await client.query({ name: 'delete', text: DELETE, values: [org, gone] });
  const { length } = rows;
  if (length > 0) {
    const columns = (['id', 'course_id', 'course_section_id', 'title', 'hours', 'position', 'note'] as const).map(
      (name) => rows.map((row) => row[name]),
    );
    await client.query({ name: 'save', text: SAVE, values: [org, package_id, ...columns] });
  }
  await client.query({ name: 'touch', text: TOUCH, values: [org, package_id, new Date()] });
};

const sync = async (client: pg.PoolClient, org: string, package_id: string, wanted: readonly Wanted[]) => {
  const values = [org, package_id];
  await client.query({ name: 'lock', text: LOCK, values });
  const { rows: stored } = await client.query<Item>({ name: 'stored', text: ITEMS, values });
  const before = new Map(stored.map((item) => [item.id, item]));
  const items = wanted.map((entry, position): Item => {
    const { id = randomUUID(), course_section_id = null, note = null, course_id, title, hours } = entry;
    return { id, package_id, course_id, course_section_id, title, hours, position, note };
  });
  const changed = items.filter((item) => !same(item, before.get(item.id)));
  const kept = new Set(items.map((item) => item.id));
  const gone = stored.map((item) => item.id).filter((id) => !kept.has(id));
  await save(client, org, package_id, changed, gone);
  return { items, changed: changed.length, deleted: gone.length };
};

/** What W2 begins with. */
export const storedItems = async (org: string, package_id: string) => {
  const { rows } = await pool.query<Item>(`${ITEMS} order by position`, [org, package_id]);
  return { items: rows };
};

/** W2. */
export const syncItems = async (org: string, body: { package_id: string; items: readonly Wanted[] }) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const answer = await sync(client, org, body.package_id, body.items);
    await client.query('commit');
    return answer;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
};
