import { bytesOf } from './bytes.ts';
import { withHistory } from './history.ts';
import { measureContenders, type Measuring } from './loads.ts';

/** What they are called here, the load that makes them, and how many: pages come by the dozen, so small writes are more. */
const WRITES = [
  ['w2', 'w2', 4_000],
  ['class change', 'lag', 4_000],
  ['roll call', 'roll-call', 400],
] as const;

/** What a write of each kind leaves behind. */
export const measureBytes = async ({ sites, progress, results }: Measuring): Promise<void> => {
  for (const [label, name, count] of WRITES)
    for (const { system, prepare, run } of sites) {
      progress.say(`bytes of ${label}, ${system.name}`);
      const plan = { connections: 16, count };
      // Prepared statements, caches, first pages: not what a write costs.
      await prepare(name, plan);
      await run(name, plan);
      await prepare(name, plan);
      results.bytes.push(await bytesOf(system, label, count, () => run(name, plan)));
    }
};

/** Roll calls in statistics a second, when the tables do not fit into the database's memory. */
export const measureRollCallRate = async (measuring: Measuring): Promise<void> => {
  for (const site of measuring.sites) {
    measuring.progress.say(`roll-call-rate, history of ${site.system.name}`);
    await withHistory(site);
  }
  const load = { connections: 64 };
  const contenders = await Promise.all(measuring.sites.map((site) => site.own('roll-call', load)));
  await measureContenders(measuring, 'roll-call-rate', contenders, load);
};
