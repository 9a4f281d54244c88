import type { Site } from '../site/site.ts';
import { type CaughtUp, catchUp } from './backlog.ts';
import { forEach, total } from './by-process.ts';
import { withHistory } from './history.ts';
import type { Measuring } from './loads.ts';
import { idleShares, type Slice } from './slices.ts';
import { compare, rowOf } from './summary.ts';

const NAME = 'catch-up';
/** Enough pairs for an interval. */
const ROUNDS = 8;
const ROUNDS_ALONE = 4;
export const catchUpRounds = (systems: number): number => (systems > 1 ? ROUNDS : ROUNDS_ALONE);

const CONNECTIONS = 16;
/** Roll calls of a backlog for each second that is asked for, and the fewest that tell a speed. */
const EACH_SECOND = 200;
const FEWEST = 1_500;

interface Measured {
  site: Site;
  idleShare: number;
  others: readonly Site[];
  rounds: CaughtUp[];
}

const rootsOf = (sites: readonly Site[]): number[] => sites.flatMap(({ system }) => system.roots());

const begin = async ({ sites, pace }: Measuring): Promise<Measured[]> => {
  const idle = await idleShares(
    sites.map((site) => rootsOf([site])),
    pace.idleS,
  );
  const others = (site: Site): Site[] => sites.filter((one) => one !== site);
  return sites.map((site, n) => ({ site, idleShare: idle[n] ?? 0, others: others(site), rounds: [] }));
};

const sliceOf = ({ rollCalls, seconds, beganMs, cpu, othersUs }: CaughtUp, idleShare: number): Slice => ({
  requests: rollCalls,
  seconds,
  cpuUs: Math.max(0, total(cpu) - idleShare * seconds * 1_000_000),
  cpu,
  idleShare,
  othersShare: othersUs / (seconds * 1_000_000),
  outcome: { seconds, latencies: [], others: { begins: [beganMs] }, left: null, answered: {} },
});

const tell = ({ results }: Measuring, all: readonly Measured[]): void => {
  const told = all.map(({ site, idleShare, rounds }) => {
    const slices = rounds.map((one) => sliceOf(one, idleShare));
    const requests = rounds.reduce((sum, { rollCalls }) => sum + rollCalls, 0);
    const cpu = forEach(
      rounds.map(({ cpu }) => cpu),
      requests,
    );
    results.processes.push({ scenario: NAME, contender: site.system.name, cpuUs: Object.fromEntries(cpu) });
    return { name: site.system.name, slices };
  });
  results.rows.push(...told.map(({ name, slices }) => rowOf(NAME, CONNECTIONS, name, slices)));
  const [a, b] = told;
  if (a === undefined || b === undefined) return;
  const ratios = compare(a.slices, b.slices);
  results.comparisons.push({ scenario: NAME, connections: CONNECTIONS, of: a.name, to: b.name, ...ratios });
};

/** Roll calls a second that statistics take in when nothing else happens, when the tables do not fit into memory. */
export const measureCatchUp = async (measuring: Measuring): Promise<void> => {
  const { sites, seconds, progress } = measuring;
  for (const site of sites) {
    progress.say(`${NAME}, history of ${site.system.name}`);
    await withHistory(site);
    await site.system.sql('vacuum (analyze)');
  }
  const backlog = { rollCalls: Math.max(FEWEST, Math.round(EACH_SECOND * seconds)), connections: CONNECTIONS };
  const all = await begin(measuring);
  progress.say(`${NAME}, ${backlog.rollCalls} roll calls`);
  for (let round = 0; round < catchUpRounds(sites.length); round += 1)
    for (const { site, others, rounds } of round % 2 === 0 ? all : all.toReversed()) {
      rounds.push(await catchUp(site, backlog, rootsOf(others)));
      progress.sliceDone();
    }
  tell(measuring, all);
};
