import type { Fixture } from './fixture.ts';

/** Tables with rows of organizations, of all services. */
const TABLES = `
  select n.nspname || '.' || quote_ident(c.relname) as name from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
  where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

/** Everything an organization has, row by row and to the last byte; what it told and what was derived of it, too. */
export const contentsOf = async (fixture: Fixture, org: string): Promise<Record<string, string[]>> => {
  const tables = await fixture.sql<{ name: string }>(TABLES);
  const entries = await Promise.all(
    tables.map(async ({ name }): Promise<[string, string[]]> => {
      const rows = await fixture.sql<{ row: string }>(
        `select t::text as row from ${name} t where org_id = $1 order by t::text`,
        [org],
      );
      return [name, rows.map(({ row }) => row)];
    }),
  );
  return Object.fromEntries(entries);
};
