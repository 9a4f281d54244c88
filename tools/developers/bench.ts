import { writeFileSync } from 'node:fs';
import { printLine } from '@teaching/local/console-output.ts';
import { checkoutsOf } from './bench/checkout.ts';
import { type Data, dataOf, FEW, USUAL } from './bench/bench-data.ts';
import { type Contender, FULL, measureInTurn, type Pace, roundsOf, SMALL } from './bench/measure.ts';
import { type Options, readOptions, USAGE } from './bench/options.ts';
import { PLAIN, type Plain, plainLoad, startPlain } from './bench/plain-load.ts';
import { startProgress } from './bench/progress.ts';
import { report, type Results } from './bench/report.ts';
import { loadOf, type Scenario, SCENARIOS } from './bench/scenarios.ts';
import { measureIdle } from './bench/idle-system.ts';
import { runStoppable, undo } from './bench/run-stoppable.ts';
import { startSystem, type System } from './bench/system.ts';

/** One running system with its data and the plain server on its database. */
interface Site {
  system: System;
  data: Data;
  plain: () => Promise<Plain>;
}

/** Loads with a fixed rate report the slowest requests; roll calls report the delay of the statistics. */
const LEAST_S: Partial<Record<Scenario, number>> = { lag: 4, 'roll-call-rate': 2 };
/** Not a question of connections: these leave by the clock, or as fast as they can. */
const ONE_LOAD: Partial<Record<Scenario, number>> = { lag: 64, 'roll-call-rate': 64 };
const IDLE_S = 30;

const openSites = async ({ against, processes, small }: Options, tell: (what: string) => void): Promise<Site[]> => {
  tell('setting up');
  const sites: Site[] = [];
  for (const [checkoutName, checkout] of await checkoutsOf(against))
    for (const form of processes) {
      const name = processes.length === 1 ? checkoutName : `${checkoutName}, ${form}`;
      tell(`starting ${name}`);
      const system = await startSystem(name, checkout, form, undo.add);
      let started: Promise<Plain> | undefined;
      sites.push({
        system,
        data: dataOf(system, small ? FEW : USUAL),
        plain: () => (started ??= startPlain(system, undo.add)),
      });
    }
  return sites;
};

const contendersOf = async (name: Scenario, { system, data, plain }: Site): Promise<Contender[]> => {
  const own: Contender = {
    name: system.name,
    system: system.name,
    isFloor: false,
    roots: () => [system.root()],
    load: await loadOf(name, system, data),
  };
  if (!PLAIN.includes(name)) return [own];
  const server = await plain();
  const load = await plainLoad(name, server, data);
  const roots = (): number[] => [server.pid, system.postmaster()];
  return [own, { name: `plain on ${system.name}`, system: system.name, isFloor: true, roots, load }];
};

const loadsOf = (name: Scenario, connections: readonly number[]): readonly number[] => {
  const only = ONE_LOAD[name];
  return only === undefined ? connections : [only];
};

/** For the bar: how many slices there will be. */
const slicesOf = (
  scenarios: readonly Scenario[],
  systems: number,
  pace: Pace,
  connections: readonly number[],
): number =>
  scenarios.reduce((sum, name) => {
    const contenders = systems * (PLAIN.includes(name) ? 2 : 1);
    return sum + loadsOf(name, connections).length * contenders * roundsOf(pace, contenders);
  }, 0);

const run = async (options: Options): Promise<void> => {
  const { seconds, only, connections, json, against, processes, small } = options;
  const pace = small ? SMALL : FULL;
  const scenarios = SCENARIOS.filter((name) => only.includes(name));
  const systems = processes.length * (against === undefined ? 1 : 2);
  const progress = startProgress(slicesOf(scenarios, systems, pace, connections));
  undo.add(progress.end);
  const sites = await openSites(options, progress.say);
  const results: Results = { standing: [], rows: [], comparisons: [] };
  if (scenarios.includes('lag'))
    for (const { system } of sites) await system.sql('alter system set track_commit_timestamp = on');
  for (const { system } of sites) {
    progress.say(`start, ${system.name}`);
    if (only.includes('start')) results.standing.push(await measureIdle(system, IDLE_S));
    else if (scenarios.includes('lag')) await system.restart();
  }
  for (const name of scenarios) {
    progress.say(`${name}, creating its data`);
    const contenders = (await Promise.all(sites.map((site) => contendersOf(name, site)))).flat();
    // Else one database is measured with its housekeeping done, and the other in the middle of it.
    for (const { system } of sites) await system.sql('vacuum (analyze)');
    for (const count of loadsOf(name, connections)) {
      progress.say(`${name}, ${count} connections`);
      const least = LEAST_S[name];
      const measuring = {
        pace,
        seconds,
        onSlice: progress.sliceDone,
        ...(least === undefined ? {} : { leastS: least }),
      };
      const { rows, comparisons } = await measureInTurn(name, count, contenders, measuring);
      results.rows.push(...rows);
      results.comparisons.push(...comparisons);
    }
  }
  progress.end();
  printLine(report(results));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
};

await runStoppable(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return printLine(USAGE);
  await run(options);
});
