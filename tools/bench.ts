import { writeFileSync } from 'node:fs';
import { startGenerator } from './bench/load/generator.ts';
import { catchUpRounds, measureCatchUp } from './bench/measure/catch-up.ts';
import { measureLag } from './bench/measure/lag.ts';
import { measureLoad, type Measuring, roundsOf } from './bench/measure/loads.ts';
import { measureBytes, measureRollCallRate } from './bench/measure/writes.ts';
import { type Options, readOptions, type Scenario, SCENARIOS, USAGE } from './bench/options.ts';
import { startPlain } from './bench/plain/start.ts';
import { startProgress } from './bench/progress.ts';
import { report } from './bench/report.ts';
import { openSite, type Site } from './bench/site/site.ts';
import { checkOut, HERE } from './bench/system/checkout.ts';
import { startSystem } from './bench/system/system.ts';
import { note, say } from '@teaching/local/progress.ts';
import { undoList } from '@teaching/local/undo.ts';

const undo = undoList();
const PLAIN: readonly Scenario[] = ['w1', 'w2', 'w3'];
/** What not every release answers: only this checkout is measured. */
const OWN: readonly Scenario[] = ['timetable'];

const hasPlain = ({ only }: Options): boolean => PLAIN.some((name) => only.includes(name));

/** For the bar: how many slices there will be. */
const slicesOf = ({ only, connections, against }: Options): number => {
  const all = against === undefined ? 1 : 2;
  const slices = (name: Scenario): number => {
    const systems = OWN.includes(name) ? 1 : all;
    if (name === 'bytes') return 0;
    if (name === 'catch-up') return systems * catchUpRounds(systems);
    const contenders = PLAIN.includes(name) || name === 'timetable' ? 2 * systems : systems;
    const loads = name === 'lag' || name === 'roll-call-rate' ? 1 : connections.length;
    return loads * contenders * roundsOf(contenders);
  };
  return only.reduce((sum, name) => sum + slices(name), 0);
};

const openSites = async (options: Options, say: (what: string) => void): Promise<Site[]> => {
  const { against } = options;
  say('setting up');
  const checkouts: [string, string][] = [['present', HERE]];
  if (against !== undefined) checkouts.push([against, await checkOut(against)]);
  const generator = startGenerator(undo.add);
  const sites: Site[] = [];
  for (const [name, checkout] of checkouts) {
    say(`starting ${name}`);
    const system = await startSystem(name, checkout, undo.add);
    sites.push(openSite(system, generator, hasPlain(options) ? await startPlain(system, undo.add) : undefined));
  }
  return sites;
};

const measure = async (measuring: Measuring, name: Scenario, { connections }: Options): Promise<void> => {
  if (name === 'bytes') return measureBytes(measuring);
  if (name === 'roll-call-rate') return measureRollCallRate(measuring);
  if (name === 'catch-up') return measureCatchUp(measuring);
  if (name === 'lag') return measureLag(measuring);
  for (const count of connections) await measureLoad(measuring, name, name, { connections: count });
};

const run = async (options: Options): Promise<void> => {
  const progress = startProgress(slicesOf(options));
  undo.add(progress.end);
  const sites = await openSites(options, progress.say);
  const results = { rows: [], comparisons: [], bytes: [], processes: [] };
  const { seconds, only, json } = options;
  // In this order: first what needs fresh tables, last what restarts the database.
  for (const name of SCENARIOS.filter((one) => only.includes(one)))
    await measure({ sites: OWN.includes(name) ? sites.slice(0, 1) : sites, seconds, progress, results }, name, options);
  progress.end();
  say(report(results));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
};

/** The terminal and npm may both hand on one and the same Ctrl-C. */
const SAME_PRESS_MS = 300;
let stoppingSince: number | undefined;

/** Stops everything that was started, once. */
const stop = async (exitCode: number): Promise<void> => {
  if (stoppingSince !== undefined) return;
  stoppingSince = Date.now();
  await undo.run();
  process.exit(exitCode);
};

/** Asked again, leaves at once: what was started notices and ends, too. */
const interrupted = (): void => {
  if (stoppingSince !== undefined && Date.now() - stoppingSince > SAME_PRESS_MS) process.exit(130);
  void stop(130);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return say(USAGE);
  await run(options);
};

await main().then(
  () => stop(0),
  (error: unknown) => {
    if (stoppingSince === undefined) note(error instanceof Error ? error.message : String(error));
    return stop(error instanceof TypeError ? 2 : 1);
  },
);
