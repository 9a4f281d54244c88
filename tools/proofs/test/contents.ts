import type { Fixture } from './fixture.ts';

/** The rows of each table as text, by schema and name of the table. */
export type Contents = Readonly<Record<string, string[]>>;

/** All tables of the services, except those that record attempts or the progress of a job. */
const TABLES = `
  select n.nspname || '.' || quote_ident(c.relname) as name, a.attname is not null as has_org from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
  where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ('deletion_mark', 'reference_fence', 'refusal', 'audit_verified')`;

const rowsOf = async (fixture: Fixture, names: readonly string[], where: string, org: string[]): Promise<Contents> => {
  const each = names.map((name) => `select '${name}' as name, t::text as row from ${name} t ${where}`);
  const rows = await fixture.sql<{ name: string; row: string }>(`${each.join(' union all ')} order by 1, 2`, org);
  const found: Record<string, string[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { name, row } of rows) found[name]?.push(row);
  return found;
};

/** All rows of an organization as text, with its events and the data derived from them. */
export const contentsOf = async (fixture: Fixture, org: string): Promise<Contents> => {
  const tables = await fixture.sql<{ name: string; has_org: boolean }>(TABLES);
  const names = tables.flatMap(({ name, has_org }) => (has_org ? [name] : []));
  return rowsOf(fixture, names, 'where org_id = $1', [org]);
};

/** Tables of offsets and leases; the data they refer to is compared. */
const OFFSETS = /\.(log_head|follower_position|duty)$/;

/** All stored rows of all organizations, except offsets in logs. */
export const allContents = async (fixture: Fixture): Promise<Contents> => {
  const tables = await fixture.sql<{ name: string }>(TABLES);
  return rowsOf(
    fixture,
    tables.map(({ name }) => name).filter((name) => !OFFSETS.test(name)),
    '',
    [],
  );
};

/** A fingerprint of the tables of one service: the row count and a hash sum of each table. */
export const fingerprintOf = async (fixture: Fixture, service: string, except: RegExp): Promise<string> => {
  const tables = await fixture.sql<{ name: string }>(TABLES);
  const names = tables.map(({ name }) => name).filter((name) => name.startsWith(`${service}.`) && !except.test(name));
  const each = names.map(
    (name) => `select '${name}' as name, count(*) as rows, sum(hashtextextended(t::text, 0)) as sum from ${name} t`,
  );
  return JSON.stringify(await fixture.sql(`${each.join(' union all ')} order by 1`));
};

/** Rows that are missing or changed in `after`. */
export const missingRows = (before: Contents, after: Contents): string[] =>
  Object.entries(before).flatMap(([name, rows]) => {
    const now = new Set(after[name]);
    return rows.filter((row) => !now.has(row)).map((row) => `${name}: ${row}`);
  });
