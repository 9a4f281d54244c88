import { writeFileSync } from 'node:fs';
import { printLine } from '@teaching/local/console-output.ts';
import { PROCESSES } from '@teaching/local/settings.ts';
import { z } from 'zod';
import { table } from '../operators/cli/table.ts';
import { checkoutsOf } from './bench/checkout.ts';
import { ABOUT, FLOODS } from './bench/floods.ts';
import {
  type BesideLoad,
  type CrowdRow,
  CROWDS,
  type FloodRow,
  GUARD_ENV,
  measureGuard,
  type GuardMeasurement,
  measureCrowd,
  medianTimes,
  p99Ratio,
  measureFlood,
  ROUNDS,
  work,
} from './bench/guard.ts';
import { readArguments } from './bench/options.ts';
import { startProgress } from './bench/progress.ts';
import { runStoppable, undo } from './bench/run-stoppable.ts';
import { startSystem } from './bench/system.ts';

const ALL = [...FLOODS, ...CROWDS] as const;
const WIDTH = Math.max(...ALL.map((name) => name.length)) + 2;

const USAGE = `Usage: npm run bench:guard [-- options]

Measures on a system of its own, started from this checkout, what strangers and crowds cost those who are let in.

Strangers, over 64 connections from one address: what the gateway's memory and a user notice.
${FLOODS.map((name) => `  ${name.padEnd(WIDTH)}${ABOUT[name]}`).join('\n')}

Crowds: an organization that asks without end over 64 connections, and what a user of another one notices.
  ${'w1'.padEnd(WIDTH)}the 20 items of a package
  ${'w2'.padEnd(WIDTH)}edits the items of a package
  ${'w3'.padEnd(WIDTH)}searches packages

  --against <r>       a release of CHANGELOG.md or a commit: measured in turn with this checkout
  --only <list>       some of the above, by comma
  --processes <n>     one, two or many that the system is (default many); of one, all of its memory is told
  --connections <n>   of strangers (default 64)
  --seconds <n>       for each of five rounds, alone and beside (default 5)
  --json <file>       writes all results to a file, too

Examples:
  npm run bench:guard
  npm run bench:guard -- --only bad-tokens,health --against 0.2.0

Memory is read from /proc, so this needs Linux. Ctrl-C stops it at any time and leaves nothing running.`;

const Options = z.object({
  against: z.string().optional(),
  only: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(ALL)))
    .default([...ALL]),
  processes: z.enum(PROCESSES).default('many'),
  connections: z.coerce.number().int().min(1).max(1_000).default(64),
  seconds: z.coerce.number().min(1).max(600).default(5),
  json: z.string().optional(),
});

interface Results {
  floods: FloodRow[];
  crowds: CrowdRow[];
}

const ms = (value: number): string => value.toFixed(1);

/** `p50 a → b` and `p99 a → b`, and how many times the latter. */
const timesBeside = (row: BesideLoad): string[] => {
  const [alone, beside] = [medianTimes(row.alone), medianTimes(row.beside)];
  return [`${ms(alone.p50)} → ${ms(beside.p50)}`, `${ms(alone.p99)} → ${ms(beside.p99)}`, p99Ratio(row).toFixed(1)];
};

const answersOf = ({ answered, seconds }: FloodRow): string =>
  Object.entries(answered)
    .map(([what, count]) => `${(count / seconds).toFixed(count / seconds < 10 ? 1 : 0)} × ${what}`)
    .join(', ') || 'nothing';

const floodTable = (rows: readonly FloodRow[]): string =>
  table(
    ['flood', 'measured', 'answered a second', 'gateway MiB', 'user p50 ms', 'p99 ms', 'times'],
    rows.map((row) => [
      row.flood,
      row.contender,
      answersOf(row),
      `${row.memory.before.toFixed(0)} + ${(row.memory.most - row.memory.before).toFixed(0)}`,
      ...timesBeside(row),
    ]),
  );

const crowdTable = (rows: readonly CrowdRow[]): string =>
  table(
    ['crowd', 'measured', 'its requests/s', 'user p50 ms', 'p99 ms', 'times'],
    rows.map((row) => [row.crowd, row.contender, row.perSecond.toFixed(0), ...timesBeside(row)]),
  );

const LEGEND = `user: logged in, of another organization, reads 100 times a second: alone → beside it.
gateway MiB: before + the most it grew by.`;

const report = ({ floods, crowds }: Results): string =>
  [...(floods.length > 0 ? [floodTable(floods)] : []), ...(crowds.length > 0 ? [crowdTable(crowds)] : []), LEGEND].join(
    '\n\n',
  );

const run = async (options: z.infer<typeof Options>): Promise<void> => {
  const { only, seconds, connections, json, against, processes } = options;
  const progress = startProgress(only.length * ROUNDS * (against === undefined ? 1 : 2));
  undo.add(progress.end);
  const contenders: GuardMeasurement[] = [];
  for (const [name, checkout] of await checkoutsOf(against)) {
    progress.say(`starting ${name}`);
    contenders.push(await measureGuard(await startSystem(name, checkout, processes, undo.add, GUARD_ENV)));
  }
  const measuring = { contenders, seconds, connections, onRound: progress.sliceDone, undo: undo.add };
  const results: Results = { floods: [], crowds: [] };
  for (const one of contenders) await work(one, seconds);
  for (const crowd of CROWDS.filter((one) => only.includes(one))) {
    progress.say(`a crowd, ${crowd}`);
    results.crowds.push(...(await measureCrowd(measuring, crowd)));
  }
  for (const flood of FLOODS.filter((one) => only.includes(one))) {
    progress.say(flood);
    results.floods.push(...(await measureFlood(measuring, flood)));
  }
  progress.end();
  printLine(report(results));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
};

await runStoppable(async () => {
  const options = readArguments(Options, process.argv.slice(2));
  if (options === 'help') return printLine(USAGE);
  await run(options);
});
