import type { Client } from 'pg';
import { SERVICES, type ServiceName } from '../../../libs/contracts/src/registry.ts';

export interface Column {
  name: string;
  /** In Postgres' notation, such as `numeric(12,2)`. */
  type: string;
}

/** A table of a service, as in the catalogue. */
export interface CatalogueTable {
  service: ServiceName;
  /** Without its schema. */
  name: string;
  /** Whether its rows belong to organizations: it has `org_id`. */
  hasOrg: boolean;
  /** The stored columns, without those that Postgres computes. */
  columns: Column[];
  /** Its primary key. */
  key: string[];
  /** Tables of the same schema that its rows refer to. */
  refersTo: string[];
}

const TABLES = `
  select n.nspname as service, c.relname as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped) as "hasOrg",
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    coalesce((select json_agg(a.attname order by k.place) from pg_index x cross join unnest(x.indkey::int2[]) with ordinality as k(no, place)
     join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.no where x.indrelid = c.oid and x.indisprimary), '[]') as key,
    array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and f.conrelid = c.oid and r.oid <> c.oid) as "refersTo"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition
  order by array_position($1, n.nspname::text), 2`;

/** Every table of every service, from the catalogue. */
export const tablesOf = async (client: Client): Promise<CatalogueTable[]> =>
  (await client.query<CatalogueTable>(TABLES, [SERVICES])).rows;

/** Sorts tables so that each comes before the tables it refers to. */
export const referringFirst = (tables: readonly CatalogueTable[]): CatalogueTable[] => {
  const ordered: CatalogueTable[] = [];
  const add = (table: CatalogueTable, above: readonly CatalogueTable[]): void => {
    if (ordered.includes(table)) return;
    if (above.includes(table)) throw new Error(`${table.service}.${table.name} refers to itself through others`);
    const referring = tables.filter((one) => one.service === table.service && one.refersTo.includes(table.name));
    for (const one of referring) add(one, [...above, table]);
    ordered.push(table);
  };
  for (const table of tables) add(table, []);
  return ordered;
};
