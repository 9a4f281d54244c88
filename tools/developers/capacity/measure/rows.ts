import { z } from 'zod';
import type { System } from '../../bench/system/system.ts';

/** Fewer rows tell nothing: pages are 8 KiB. */
const ENOUGH = 400;
const SIZES = `select n.nspname || '.' || c.relname as name, round(pg_total_relation_size(c.oid) / c.reltuples) as bytes
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.reltuples >= ${ENOUGH} and n.nspname in ('clazz', 'course', 'package', 'stats') order by 1`;
const Sizes = z.array(z.object({ name: z.string(), bytes: z.coerce.number() }));

/** Table and indexes for each row, without room that changes left. */
export const rowBytes = async ({ sql }: System): Promise<Record<string, number>> => {
  await sql('vacuum (full, analyze)');
  return Object.fromEntries(Sizes.parse(await sql(SIZES)).map(({ name, bytes }) => [name, bytes]));
};

const Count = z.tuple([z.object({ count: z.int() })]);
export const connectionCount = async ({ sql }: System): Promise<number> =>
  Count.parse(await sql("select count(*)::int from pg_stat_activity where usename ~ '_(app|worker|owner)$'"))[0].count;
