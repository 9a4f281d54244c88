import { z } from 'zod';
import type { Site } from '../site/site.ts';
import { bytesOf } from './bytes.ts';
import { measureLoad, type Measuring } from './loads.ts';

const BYTES_REQUESTS = 400;

/** What a write of each kind leaves behind. */
export const measureBytes = async ({ sites, progress, results }: Measuring): Promise<void> => {
  for (const name of ['w2', 'roll-call'] as const)
    for (const { system, prepare, run } of sites) {
      progress.say(`bytes of ${name}, ${system.name}`);
      const plan = { connections: 16, count: BYTES_REQUESTS };
      // Prepared statements, caches, first pages: not what a write costs.
      await prepare(name, plan);
      await run(name, plan);
      await prepare(name, plan);
      results.bytes.push(await bytesOf(system, name, BYTES_REQUESTS, () => run(name, plan)));
    }
};

const SMALL_MEMORY_MB = 32;
/** So many times the database's memory, before roll calls are counted. */
const HISTORY = 6;
const SIZE = 'select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables';
const Size = z.tuple([z.object({ bytes: z.number() })]);

const withHistory = async ({ system, prepare, run }: Site): Promise<void> => {
  const plan = { connections: 32, count: 300 };
  await system.restart([`shared_buffers=${SMALL_MEMORY_MB}MB`]);
  const size = async (): Promise<number> => Size.parse(await system.sql(SIZE))[0].bytes;
  while ((await size()) < HISTORY * SMALL_MEMORY_MB * 2 ** 20) {
    await prepare('roll-call', plan);
    await run('roll-call', plan);
  }
};

/** Roll calls in statistics a second, when the tables do not fit into the database's memory. */
export const measureRollCallRate = async (measuring: Measuring): Promise<void> => {
  for (const site of measuring.sites) {
    measuring.progress.say(`roll-call-rate, history of ${site.system.name}`);
    await withHistory(site);
  }
  await measureLoad(measuring, 'roll-call-rate', 'roll-call', { connections: 64 });
};
