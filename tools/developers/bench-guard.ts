import { writeFileSync } from 'node:fs';
import { say } from '@teaching/local/progress.ts';
import { FLOODS } from './bench/guard/floods.ts';
import { measureCrowd, measureFlood, type Measuring, ROUNDS } from './bench/guard/measure.ts';
import { type Options, readOptions, USAGE } from './bench/guard/options.ts';
import { report, type Results } from './bench/guard/report.ts';
import { CROWDS, guarded, type Guarded } from './bench/guard/user.ts';
import { startGenerator } from './bench/load/generator.ts';
import { startProgress } from './bench/progress.ts';
import { runStoppable, undo } from './bench/stoppable.ts';
import { checkoutsOf } from './bench/system/checkout.ts';
import { startSystem } from './bench/system/system.ts';

const openAll = async ({ against, processes }: Options, say: (what: string) => void): Promise<Guarded[]> => {
  const [user, others] = [startGenerator(undo.add), startGenerator(undo.add)];
  const all: Guarded[] = [];
  say('setting up');
  for (const [name, checkout] of await checkoutsOf(against)) {
    say(`starting ${name}`);
    all.push(await guarded(await startSystem(name, checkout, undo.add, { processes }), user, others));
  }
  return all;
};

const run = async (options: Options): Promise<void> => {
  const { only, seconds, connections, json, against } = options;
  const progress = startProgress(only.length * ROUNDS * (against === undefined ? 1 : 2));
  undo.add(progress.end);
  const contenders = await openAll(options, progress.say);
  const measuring: Measuring = { contenders, seconds, connections, progress, undo: undo.add };
  const results: Results = { floods: [], crowds: [] };
  for (const { work } of contenders) await work(seconds);
  for (const crowd of CROWDS.filter((one) => only.includes(one)))
    results.crowds.push(...(await measureCrowd(measuring, crowd)));
  for (const flood of FLOODS.filter((one) => only.includes(one)))
    results.floods.push(...(await measureFlood(measuring, flood)));
  progress.end();
  say(report(results));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
};

await runStoppable(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return say(USAGE);
  await run(options);
});
