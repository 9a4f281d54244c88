import { z } from 'zod';
import type { System } from '../system/system.ts';
import { quiet } from './slices.ts';

export interface Grown {
  name: string;
  /** By how much the table grew, former versions of changed rows included until a vacuum gives their space back. */
  table: number;
  /** What of that is rows that stay. */
  live: number;
  index: number;
}

/** What one request leaves behind, in bytes. */
export interface Bytes extends Grown {
  contender: string;
  requests: number;
  /** Without images of whole pages, which depend on how often checkpoints come. */
  wal: number;
  /** Such images all the same: for bits that readers set. */
  walImages: number;
  schemas: Grown[];
  tables: Grown[];
}

const Size = z.object({
  schema: z.string(),
  name: z.string(),
  table: z.coerce.number(),
  live: z.coerce.number(),
  index: z.coerce.number(),
});
type Size = z.infer<typeof Size>;

/** Tables with what is stored outside of their rows, and their indexes. */
const SIZES = `
  select n.nspname as schema, n.nspname || '.' || c.relname as name, pg_table_size(c.oid) as table,
    (public.pgstattuple(c.oid)).tuple_len
      + case when c.reltoastrelid = 0 then 0 else (public.pgstattuple(c.reltoastrelid)).tuple_len end as live,
    pg_indexes_size(c.oid) as index
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;
const Lsn = z.tuple([z.object({ lsn: z.string() })]);
/** Records and, apart from them, the images of pages in them. */
const WAL = 'select sum(record_size) as records, sum(fpi_size) as images from public.pg_get_wal_stats($1, $2)';
const Wal = z.tuple([z.object({ records: z.coerce.number(), images: z.coerce.number() })]);

const lsnOf = async ({ sql }: System): Promise<string> =>
  Lsn.parse(await sql('select pg_current_wal_lsn() as lsn'))[0].lsn;

const set = async ({ sql }: System, settings: readonly string[]): Promise<void> => {
  for (const setting of settings) await sql(`alter system ${setting}`);
  await sql('select pg_reload_conf()');
};

const sizesOf = async ({ sql }: System): Promise<Size[]> => z.array(Size).parse(await sql(SIZES));

const PARTS = ['table', 'live', 'index'] as const;

const grown = (before: readonly Size[], after: readonly Size[], requests: number): Size[] => {
  const known = new Map(before.map((row) => [row.name, row]));
  return after.map((row) => {
    const was = known.get(row.name);
    const each = PARTS.map((part) => [part, (row[part] - (was?.[part] ?? 0)) / requests]);
    return { ...row, ...Object.fromEntries(each) };
  });
};

const total = (name: string, rows: readonly Grown[]): Grown => {
  const sum = (part: (typeof PARTS)[number]): number => rows.reduce((all, row) => all + row[part], 0);
  return { name, table: sum('table'), live: sum('live'), index: sum('index') };
};

const bySize = (rows: readonly Grown[]): Grown[] =>
  rows
    .filter((row) => row.table !== 0 || row.index !== 0)
    .map((row) => total(row.name, [row]))
    .sort((a, b) => b.table + b.index - a.table - a.index);

/** Tables as if just filled, so that no space left by earlier changes swallows what is written now. */
const compact = async ({ sql }: System): Promise<void> => {
  for (const extension of ['pg_walinspect', 'pgstattuple'])
    await sql(`create extension if not exists ${extension} with schema public`);
  await sql('vacuum (full, analyze)');
  await sql('checkpoint');
};

/**
 * Bytes of table, index and WAL for each of so many requests, followed into all services. Vacuum is off meanwhile
 * and images of pages are, too: both belong to time that passes and not to a request. The checkpoint is over before.
 */
export const bytesOf = async (
  system: System,
  name: string,
  requests: number,
  work: () => Promise<unknown>,
): Promise<Bytes> => {
  await set(system, ['set full_page_writes = off', 'set autovacuum = off']);
  try {
    await compact(system);
    await quiet(system.roots());
    const [before, from] = [await sizesOf(system), await lsnOf(system)];
    await work();
    await quiet(system.roots());
    const [to, after] = [await lsnOf(system), await sizesOf(system)];
    const [{ records, images }] = Wal.parse(await system.sql(WAL, [from, to]));
    const rows = grown(before, after, requests);
    const schemas = [...Map.groupBy(rows, ({ schema }) => schema)].map(([schema, list]) => total(schema, list));
    return {
      ...total(name, rows),
      contender: system.name,
      requests,
      wal: records / requests,
      walImages: images / requests,
      schemas: bySize(schemas),
      tables: bySize(rows),
    };
  } finally {
    await set(system, ['reset full_page_writes', 'reset autovacuum']);
  }
};
