import type { Fixture } from './fixture.ts';

/** Tables with rows of organizations, of all services, but for what only says that a deletion was tried. */
const TABLES = `
  select n.nspname || '.' || quote_ident(c.relname) as name from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
  where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ('deletion_mark', 'reference_fence')`;

/** Everything an organization has, row by row and to the last byte; what it told and what was derived of it, too. */
export const contentsOf = async (fixture: Fixture, org: string): Promise<Record<string, string[]>> => {
  const tables = await fixture.sql<{ name: string }>(TABLES);
  const each = tables.map(({ name }) => `select '${name}' as name, t::text as row from ${name} t where org_id = $1`);
  const rows = await fixture.sql<{ name: string; row: string }>(`${each.join(' union all ')} order by 1, 2`, [org]);
  const found: Record<string, string[]> = Object.fromEntries(tables.map(({ name }) => [name, []]));
  for (const { name, row } of rows) found[name]?.push(row);
  return found;
};
