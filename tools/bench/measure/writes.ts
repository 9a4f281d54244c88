import { bytesOf } from './bytes.ts';
import { withHistory } from './history.ts';
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

/** Roll calls in statistics a second, when the tables do not fit into the database's memory. */
export const measureRollCallRate = async (measuring: Measuring): Promise<void> => {
  for (const site of measuring.sites) {
    measuring.progress.say(`roll-call-rate, history of ${site.system.name}`);
    await withHistory(site);
  }
  await measureLoad(measuring, 'roll-call-rate', 'roll-call', { connections: 64 });
};
