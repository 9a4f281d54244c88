import type { LoadName } from '../site/data.ts';
import type { Load, Site } from '../site/site.ts';
import type { Progress } from '../progress.ts';
import { type Pace, roundsOf } from './pace.ts';
import { alternate, type Contender, quiet } from './slices.ts';
import { compare, rowOf } from './summary.ts';
import type { Results } from '../report.ts';

const SHORTEST_SLICE_S = 0.2;
/** Beginning and end of a slice, when not all connections are busy, are to be the smaller part of it. */
const REQUESTS_EACH = 4;
/** Of what leaves by the clock the slowest are told, and the beginning of a slice, when caches are another system's, is slow. */
const SHORTEST_BY_CLOCK_S = 4;

export interface Measuring {
  sites: readonly Site[];
  seconds: number;
  pace: Pace;
  progress: Progress;
  results: Results;
}

/** A system that was just started compiles what is called often for several seconds, and is the slower the longer its code. */
const MOST_WARM_UPS = 10;
const STILL_FASTER = 1.05;

/** Until it gets no faster; answers how many requests a second it did. */
const warmUp = async ({ run, prepare, roots }: Contender, forS: number): Promise<number> => {
  let best = 0;
  for (let times = 0; times < MOST_WARM_UPS; times += 1) {
    await prepare?.(forS);
    const { latencies, seconds } = await run(forS);
    await quiet(roots());
    const rate = latencies.length / seconds;
    if (rate < best * STILL_FASTER) break;
    best = rate;
  }
  return best;
};

const shortestSlice = ({ connections, rate }: Load, measured: number): number =>
  rate === undefined ? Math.max(SHORTEST_SLICE_S, (REQUESTS_EACH * connections) / measured) : SHORTEST_BY_CLOCK_S;

/** Measures contenders with so many connections, all of them in turn, and compares the pairs. */
export const measureContenders = async (
  { sites, seconds, pace, progress, results }: Measuring,
  scenario: string,
  contenders: readonly Contender[],
  load: Load,
  { pairs = pairsOf, warmUpS = pace.warmUpS }: { pairs?: typeof pairsOf; warmUpS?: number } = {},
): Promise<void> => {
  progress.say(`${scenario}, warming up`);
  // Else one database is measured with its housekeeping done, and the other in the middle of it.
  for (const { system } of sites) await system.sql('vacuum (analyze)');
  const rates: number[] = [];
  for (const contender of contenders) rates.push(await warmUp(contender, warmUpS));
  progress.say(`${scenario}, ${load.connections} connections`);
  const rounds = roundsOf(pace, contenders.length);
  const plan = {
    rounds,
    idleS: pace.idleS,
    seconds: Math.max(seconds / rounds, shortestSlice(load, Math.min(...rates))),
  };
  const slices = await alternate(contenders, plan, progress.sliceDone);
  const { connections } = load;
  results.rows.push(...contenders.map(({ name }, n) => rowOf(scenario, connections, name, slices[n] ?? [])));
  for (const [a, b] of pairs(contenders)) {
    const ratios = compare(slices[contenders.indexOf(a)] ?? [], slices[contenders.indexOf(b)] ?? []);
    results.comparisons.push({ scenario, connections, of: a.name, to: b.name, ...ratios });
  }
};

/** Measures one load with so many connections, each system with what stands below it. */
export const measureLoad = async (
  measuring: Measuring,
  scenario: string,
  name: LoadName,
  load: Load,
  warmUpS?: number,
): Promise<void> => {
  const contenders = (await Promise.all(measuring.sites.map((site) => site.contenders(name, load)))).flat();
  await measureContenders(measuring, scenario, contenders, load, warmUpS === undefined ? {} : { warmUpS });
};

type Pair = [Contender, Contender];

/** The first system against each other one, each against what stands below it, and as a control that of one against that of the other. */
export const pairsOf = (contenders: readonly Contender[]): Pair[] => {
  const systems = contenders.filter(({ floor }) => floor === undefined);
  const floors = contenders.filter(({ floor }) => floor !== undefined);
  const pair = ([a, ...others]: readonly Contender[]): Pair[] =>
    a === undefined ? [] : others.map((b): Pair => [a, b]);
  const own = systems.flatMap((a) => floors.filter(({ system }) => system === a.system).map((b): Pair => [a, b]));
  const alike = [...Map.groupBy(floors, ({ floor }) => floor).values()].flatMap(pair);
  return [...pair(systems), ...own, ...alike];
};
