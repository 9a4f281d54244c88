import { z } from 'zod';
import type { Site } from '../site/site.ts';

const SMALL_MEMORY_MB = 32;
/** So many times the database's memory. */
const HISTORY = 6;
const SIZE = 'select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables';
const Size = z.tuple([z.object({ bytes: z.number() })]);

const filled = new WeakSet<Site>();

/** Gives the database little memory and fills the tables with roll calls far beyond it; once for all scenarios. */
export const withHistory = async (site: Site): Promise<void> => {
  if (filled.has(site)) return;
  const { system, prepare, run } = site;
  const plan = { connections: 32, count: 300 };
  await system.restart([`shared_buffers=${SMALL_MEMORY_MB}MB`]);
  const size = async (): Promise<number> => Size.parse(await system.sql(SIZE))[0].bytes;
  while ((await size()) < HISTORY * SMALL_MEMORY_MB * 2 ** 20) {
    await prepare('roll-call', plan);
    await run('roll-call', plan);
  }
  filled.add(site);
};
