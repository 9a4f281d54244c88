import { parseArgs } from 'node:util';
import { table } from '../operators/cli/table.ts';
import { type RestoreCase, runRestoreTest, type CaseResult } from './drill/restore-cases.ts';
import { endAll } from './system/start-system.ts';

const USAGE = `Usage: npm run drill:restore [-- --writes <n>] [--seed <n>]

Backs up a system of its own under writes, destroys it and restores it, in each way that docs/backup.md knows: to the end with an
empty broker, to an instant with streams that are ahead, and the whole of one moment. Then it looks whether sources,
statistics, audit trail, tokens and a reader outside agree. Nothing of a system that runs is touched.
  --writes  how many writes before and after each step (100)
  --seed    draws the same writes again
Exit code: 0 all is well, 1 something is not, 2 wrong arguments.`;

const STEPS = ['look', 'restore', 'serve', 'agree', 'outside', 'save again'];

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      writes: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean' },
    },
  });
  const [writes, seed] = [Number(values.writes), Number(values.seed)];
  if (values.help || !Number.isInteger(writes) || writes < 1 || !Number.isInteger(seed)) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  process.once('SIGINT', () => void endAll().finally(() => process.exit(1)));
  const all: [RestoreCase, CaseResult][] = [];
  await runRestoreTest({
    seed,
    writes,
    onPlayed: (act, played) => {
      all.push([act, played]);
      console.log(
        `${played.wrong.length === 0 ? 'PASS' : 'FAIL'} ${act.name}: ${[...played.wrong, ...played.notes].join('; ')}`,
      );
    },
  });
  const rows = all.map(([{ name }, { ms }]) => [
    name,
    ...STEPS.map((step) => (ms[step] === undefined ? '' : `${(ms[step] / 1_000).toFixed(1)} s`)),
  ]);
  console.log(table(['restored', ...STEPS], rows));
  return all.some(([, { wrong }]) => wrong.length > 0) ? 1 : 0;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
