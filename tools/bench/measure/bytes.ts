import { z } from 'zod';
import type { System } from '../system/system.ts';
import { quiet } from './slices.ts';

export interface Grown {
  name: string;
  table: number;
  index: number;
}

/** What one request leaves behind, in bytes. */
export interface Bytes {
  what: string;
  contender: string;
  requests: number;
  table: number;
  index: number;
  /** Without images of whole pages, which depend on how often checkpoints come. */
  wal: number;
  /** Such images all the same: for bits that readers set. */
  walImages: number;
  schemas: Grown[];
  tables: Grown[];
}

const Sizes = z.array(
  z.object({ schema: z.string(), name: z.string(), table: z.coerce.number(), index: z.coerce.number() }),
);
type Sizes = z.infer<typeof Sizes>;

/** Tables with what is stored outside of their rows, and their indexes. */
const SIZES = `
  select n.nspname as schema, c.relname as name, pg_table_size(c.oid) as table, pg_indexes_size(c.oid) as index
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;
const Lsn = z.tuple([z.object({ lsn: z.string() })]);
const Wal = z.tuple([z.object({ records: z.coerce.number(), images: z.coerce.number() })]);

const lsnOf = async ({ sql }: System): Promise<string> =>
  Lsn.parse(await sql('select pg_current_wal_lsn() as lsn'))[0].lsn;

const set = async ({ sql }: System, settings: readonly string[]): Promise<void> => {
  for (const setting of settings) await sql(`alter system ${setting}`);
  await sql('select pg_reload_conf()');
};

const grown = (before: Sizes, after: Sizes, requests: number): (Grown & { schema: string })[] => {
  const of = (row: Sizes[number]): string => `${row.schema}.${row.name}`;
  const known = new Map(before.map((row) => [of(row), row]));
  return after.map((row) => ({
    schema: row.schema,
    name: of(row),
    table: (row.table - (known.get(of(row))?.table ?? 0)) / requests,
    index: (row.index - (known.get(of(row))?.index ?? 0)) / requests,
  }));
};

const total = (rows: readonly Grown[], name: string): Grown => ({
  name,
  table: rows.reduce((sum, { table }) => sum + table, 0),
  index: rows.reduce((sum, { index }) => sum + index, 0),
});

const bySize = (rows: readonly Grown[]): Grown[] =>
  rows
    .filter(({ table, index }) => table + index !== 0)
    .map(({ name, table, index }) => ({ name, table, index }))
    .sort((a, b) => b.table + b.index - a.table - a.index);

const settled = async (system: System): Promise<void> => quiet(system.roots());

/**
 * Bytes of table, index and WAL for each of so many requests, followed into all services. Vacuum is off meanwhile
 * and images of pages, too: neither belongs to a single request. The checkpoint before leaves its own WAL behind it.
 */
export const bytesOf = async (
  system: System,
  what: string,
  requests: number,
  work: (requests: number) => Promise<unknown>,
): Promise<Bytes> => {
  const { sql } = system;
  await sql('create extension if not exists pg_walinspect with schema public');
  await set(system, ['set full_page_writes = off', 'set autovacuum = off']);
  try {
    await sql('checkpoint');
    await settled(system);
    const [before, from] = [Sizes.parse(await sql(SIZES)), await lsnOf(system)];
    await work(requests);
    await settled(system);
    const [to, after] = [await lsnOf(system), Sizes.parse(await sql(SIZES))];
    const wal = `select sum(record_size) as records, sum(fpi_size) as images from public.pg_get_wal_stats($1, $2)`;
    const [{ records, images }] = Wal.parse(await sql(wal, [from, to]));
    const rows = grown(before, after, requests);
    const all = total(rows, 'all');
    const schemas = [...Map.groupBy(rows, ({ schema }) => schema)].map(([schema, list]) => total(list, schema));
    return {
      what,
      contender: system.name,
      requests,
      table: all.table,
      index: all.index,
      wal: records / requests,
      walImages: images / requests,
      schemas: bySize(schemas),
      tables: bySize(rows),
    };
  } finally {
    await set(system, ['reset full_page_writes', 'reset autovacuum']);
  }
};
