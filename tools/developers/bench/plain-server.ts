/**
 * The same work without everything that a production system has: one process with Fastify and pg on the same tables, as superuser.
 * The organization's id replaces the token. No row-level security, validation, events, idempotency or logs.
 */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

/** As many connections as a service has, for transactions and reads together. */
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 16,
  options: '-c search_path=package,public',
});
// A connection that the server ends is replaced when it is needed.
pool.on('error', () => undefined);

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

const COLUMNS = 'id, package_id, course_id, course_section_id, title, hours, position, note';
const ITEMS = `select ${COLUMNS} from course_package_item where org_id = $1 and package_id = $2`;
const LOCK = 'select published_at, version from course_package where org_id = $1 and id = $2 for update';
const DELETE = 'delete from course_package_item where org_id = $1 and id = any($2::uuid[])';
const SAVE = `
  insert into course_package_item (org_id, package_id, id, course_id, course_section_id, title, hours, position, note)
  select $1, $2, i.* from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::numeric[], $8::int[], $9::text[]) as i
  on conflict (org_id, id) do update
  set course_id = excluded.course_id, course_section_id = excluded.course_section_id, title = excluded.title,
      hours = excluded.hours, position = excluded.position, note = excluded.note`;
const TOUCH = 'update course_package set version = version + 1, updated_at = $3 where org_id = $1 and id = $2';
const SEARCH = `
  select id, org_id, teacher_id, title, description, category_id, price_minor, currency, total_hours, validity_days, active,
    published_at, published_version, version, created_at, updated_at
  from course_package where org_id = $1 and active and title ilike $2 order by title, id limit $3`;

const FIELDS = ['id', 'course_id', 'course_section_id', 'title', 'hours', 'position', 'note'] as const;
const isSame = (item: Item, before: Item | undefined): boolean =>
  before !== undefined && FIELDS.every((field) => item[field] === before[field]);

const save = async (client: pg.PoolClient, org: string, package_id: string, rows: Item[], gone: string[]) => {
  if (gone.length > 0) await client.query({ name: 'delete', text: DELETE, values: [org, gone] });
  if (rows.length > 0) {
    const columns = FIELDS.map((name) => rows.map((row) => row[name]));
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
  const changed = items.filter((item) => !isSame(item, before.get(item.id)));
  const kept = new Set(items.map((item) => item.id));
  const gone = stored.map((item) => item.id).filter((id) => !kept.has(id));
  await save(client, org, package_id, changed, gone);
  return { items, changed: changed.length, deleted: gone.length };
};

const inTransaction = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const answer = await work(client);
    await client.query('commit');
    return answer;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
};

const BASE = '/api/v1/clazz/course-package';
const server = Fastify({ logger: false });
const orgOf = (authorization = ''): string => authorization.slice('Bearer '.length);

server.get<{ Params: { id: string } }>(`${BASE}/item/list/:id`, async ({ params, headers }) => {
  const values = [orgOf(headers.authorization), params.id];
  return { items: (await pool.query({ name: 'items', text: `${ITEMS} order by position`, values })).rows };
});
server.get<{ Querystring: { keyword: string; limit: string } }>(`${BASE}/list/org`, async ({ query, headers }) => {
  const values = [orgOf(headers.authorization), `%${query.keyword}%`, Number(query.limit)];
  return { items: (await pool.query({ name: 'search', text: SEARCH, values })).rows };
});
server.post<{ Body: { package_id: string; items: readonly Wanted[] } }>(`${BASE}/item/sync`, ({ body, headers }) =>
  inTransaction((client) => sync(client, orgOf(headers.authorization), body.package_id, body.items)),
);

process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
process.send?.(await server.listen({ port: 0, host: '127.0.0.1' }));
