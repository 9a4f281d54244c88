import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startGenerator } from './bench/load/generator.ts';
import { catchUpRounds, measureCatchUp } from './bench/measure/catch-up.ts';
import { growthContenders, measureGrowth } from './bench/measure/growth.ts';
import { measureLag } from './bench/measure/lag.ts';
import { measureLoad, type Measuring } from './bench/measure/loads.ts';
import { FULL, type Pace, roundsOf, SMALL } from './bench/measure/pace.ts';
import { KEPT, measureMadeAnew } from './bench/measure/made-anew.ts';
import { measureStarts } from './bench/measure/starts.ts';
import { measureBytes, measureRollCallRate } from './bench/measure/writes.ts';
import { type Options, readOptions, type Scenario, SCENARIOS, USAGE } from './bench/options.ts';
import { page } from './bench/page.ts';
import { startPlain } from './bench/plain/start.ts';
import { FEW, USUAL } from './bench/seed/sizes.ts';
import { startProgress } from './bench/progress.ts';
import { noResults, report } from './bench/report.ts';
import { floorsBelow } from './bench/site/floors.ts';
import { GROWTH, openGrowing } from './bench/site/growing.ts';
import { openSite, type Site } from './bench/site/site.ts';
import { runStoppable, undo } from './bench/stoppable.ts';
import { checkoutsOf } from './bench/system/checkout.ts';
import { filledWith } from './bench/system/filled.ts';
import { startSystem } from './bench/system/system.ts';
import { say } from '@teaching/local/progress.ts';

/** What not every release answers: only this checkout is measured. */
const OWN: readonly Scenario[] = ['made-anew', 'timetable', 'accounts', 'publish', 'mixed'];

/** They take copies of the whole database. */
const hasWriteFloors = ({ small, schools }: Options): boolean => !small && schools === 0;

/** For the bar: how many slices there will be. */
const slicesOf = (options: Options, pace: Pace): number => {
  const { only, connections, against, processes } = options;
  const all = (against === undefined ? 1 : 2) * processes.length;
  const slices = (name: Scenario): number => {
    const systems = OWN.includes(name) ? processes.length : all;
    if (name === 'bytes') return 0;
    if (name === 'growth') return growthContenders(GROWTH) * pace.rounds;
    if (name === 'start') return systems * pace.starts;
    if (name === 'catch-up') return systems * catchUpRounds(systems);
    if (name === 'made-anew')
      return KEPT.reduce((sum, kept) => {
        const contenders = 2 + floorsBelow(kept, false);
        return sum + connections.length * contenders * roundsOf(pace, contenders);
      }, 0);
    const contenders = systems * (1 + (name === 'roll-call-rate' ? 0 : floorsBelow(name, hasWriteFloors(options))));
    const loads = name === 'lag' || name === 'roll-call-rate' ? 1 : connections.length;
    return loads * contenders * roundsOf(pace, contenders);
  };
  return only.reduce((sum, name) => sum + slices(name), 0);
};

const openSites = async (options: Options, say: (what: string) => void): Promise<Site[]> => {
  const { against, schools, processes } = options;
  say('setting up');
  const generator = startGenerator(undo.add);
  const filled: [name: string, checkout: string, folder: string | undefined][] = [];
  for (const [name, checkout] of await checkoutsOf(against)) {
    if (schools > 0) say(`filling ${name} with ${schools} schools`);
    filled.push([name, checkout, schools === 0 ? undefined : await filledWith(schools, checkout, undo.add)]);
  }
  const sites: Site[] = [];
  for (const [checkoutName, checkout, folder] of filled)
    for (const form of processes) {
      const name = processes.length === 1 ? checkoutName : `${checkoutName}, ${form}`;
      say(`starting ${name}`);
      const isShared = processes.length > 1 || filled.filter(([, , other]) => other === folder).length > 1;
      const data = folder === undefined ? {} : isShared ? { copyOf: folder } : { in: folder };
      const system = await startSystem(name, checkout, undo.add, { ...data, processes: form });
      sites.push(
        openSite(system, generator, {
          plain: () => startPlain(system, undo.add),
          ofWrites: hasWriteFloors(options),
          sizes: options.small ? FEW : USUAL,
        }),
      );
    }
  return sites;
};

const measure = async (measuring: Measuring, name: Scenario, { connections }: Options): Promise<void> => {
  if (name === 'start') return measureStarts(measuring);
  if (name === 'bytes') return measureBytes(measuring);
  if (name === 'roll-call-rate') return measureRollCallRate(measuring);
  if (name === 'catch-up') return measureCatchUp(measuring);
  if (name === 'lag') return measureLag(measuring);
  if (name === 'growth') {
    const [connections_ = 1] = connections;
    const growing = await openGrowing(measuring.progress.say, undo.add);
    return measureGrowth({ ...measuring, sites: growing.data }, growing, { connections: connections_ });
  }
  if (name === 'made-anew') {
    for (const count of connections) await measureMadeAnew(measuring, { connections: count });
    return;
  }
  for (const count of connections) await measureLoad(measuring, name, name, { connections: count });
};

const run = async (options: Options): Promise<void> => {
  const pace = options.small ? SMALL : FULL;
  const progress = startProgress(slicesOf(options, pace));
  undo.add(progress.end);
  // What grows has systems of its own.
  const sites = options.only.every((name) => name === 'growth') ? [] : await openSites(options, progress.say);
  const results = noResults();
  const { seconds, only, processes, json, plot } = options;
  // In this order: first what needs fresh tables, last what restarts the database.
  for (const name of SCENARIOS.filter((one) => only.includes(one)))
    await measure(
      { sites: OWN.includes(name) ? sites.slice(0, processes.length) : sites, seconds, pace, progress, results },
      name,
      options,
    );
  progress.end();
  say(report(results));
  mkdirSync(dirname(plot), { recursive: true });
  writeFileSync(plot, page(results));
  say(`\nAs bars: ${plot}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
};

await runStoppable(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return say(USAGE);
  await run(options);
});
