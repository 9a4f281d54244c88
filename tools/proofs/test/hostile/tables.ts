import type { Fixture } from '../fixture.ts';

const SCHEMAS = "('clazz', 'course', 'package', 'stats')";

/** A table with rows of organizations, and the privileges of the request role on all of its columns. */
export interface OrgTable {
  service: string;
  name: string;
  reads: boolean;
  writes: boolean;
}

/** Read from the catalogue, so that new tables are included. */
export const orgTables = (fixture: Fixture): Promise<OrgTable[]> =>
  fixture.sql<{ service: string; name: string; reads: boolean; writes: boolean }>(`
    select n.nspname as service, c.oid::regclass::text as name,
      has_table_privilege(n.nspname || '_app', c.oid, 'select') as reads,
      has_table_privilege(n.nspname || '_app', c.oid, 'insert, update, delete') as writes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p') and exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
    order by 2`);

/** Columns of relations without `org_id` that the request role may read. */
export const readableWithoutOrganization = (fixture: Fixture) =>
  fixture.sql<{ name: string; columns: string }>(`
    select c.oid::regclass::text as name, string_agg(a.attname, ' ' order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and has_column_privilege(n.nspname || '_app', c.oid, a.attnum, 'select')
      and not exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'org_id')
    group by c.oid order by 1`);

/** Unique and exclusion constraints without `org_id` in tables that the request role may write. */
export const sharedKeys = (fixture: Fixture) =>
  fixture.sql<{ name: string }>(`
    select x.indexrelid::regclass::text as name
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint e on e.conindid = x.indexrelid and e.contype = 'x'
    where n.nspname in ${SCHEMAS} and (x.indisunique or x.indisexclusion)
      and exists (select from unnest(x.indkey) as k(no) where
        has_column_privilege(n.nspname || '_app', c.oid, k.no, 'insert')
        or has_column_privilege(n.nspname || '_app', c.oid, k.no, 'update'))
      and not exists (
        select from unnest(x.indkey::int2[]) with ordinality as k(no, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.no and a.attname = 'org_id'
        where e.oid is null or e.conexclop[k.place] = '=(uuid,uuid)'::regoperator)
    order by 1`);

/** Foreign keys without `org_id`. Their checks run as the owner, whom row-level security does not restrict. */
export const sharedReferences = (fixture: Fixture) =>
  fixture.sql<{ name: string }>(`
    select f.conrelid::regclass || '.' || f.conname as name from pg_constraint f
    join pg_namespace n on n.oid = f.connamespace
    where n.nspname in ${SCHEMAS} and f.contype = 'f' and not exists (
      select from unnest(f.conkey, f.confkey) as k(here, there)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.here and a.attname = 'org_id'
      join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.there and b.attname = 'org_id')`);

/** Functions of the services that the request role may call, except triggers. */
export const callableFunctions = (fixture: Fixture) =>
  fixture.sql<{ name: string }>(`
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ${SCHEMAS} and p.prorettype <> 'trigger'::regtype
      and has_function_privilege(n.nspname || '_app', p.oid, 'execute') order by 1`);

const PLACEHOLDER_VALUES = `
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
    string_agg(case
      when a.attname = 'org_id' then '$1'
      when a.attname = 'log' then '''domain'''
      when a.attname = 'type' then '''stood.in.v1'''
      else (case
        when format_type(a.atttypid, null) like '%[]' then '''{}'''
        when t.typname in ('json', 'jsonb') then '''{}'''
        when t.typcategory = 'N' then '1'
        when t.typname = 'bool' then '''false'''
        when t.typtype = 'r' then '''empty'''
        when t.typtype = 'm' then '''{}'''
        when t.typname = 'uuid' then 'gen_random_uuid()'
        when t.typcategory = 'D' then 'now()'
        else '''stood in''' end) || '::' || format_type(a.atttypid, a.atttypmod) end, ', ' order by a.attnum) as values
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = $1::regclass and a.attnum > 0 and a.attnotnull and not a.atthasdef and a.attidentity = ''
    and not a.attisdropped`;

/** An insert statement for a placeholder row of a table. Its parameter is the organization. */
export const placeholderInsert = async (fixture: Fixture, name: string): Promise<string> => {
  const [row] = await fixture.sql<{ columns: string; values: string }>(PLACEHOLDER_VALUES, [name]);
  return `insert into ${name} (${row?.columns}) values (${row?.values})`;
};

/** Inserts a placeholder row for an organization into each table where it has none. */
export const insertPlaceholders = async (fixture: Fixture, org: string): Promise<void> => {
  for (const { name } of await orgTables(fixture)) {
    const [existing] = await fixture.sql(`select from ${name} where org_id = $1 limit 1`, [org]);
    if (existing !== undefined) continue;
    await fixture.sql(await placeholderInsert(fixture, name), [org]);
  }
};
