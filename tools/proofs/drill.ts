import { parseArgs } from 'node:util';
import { table } from '../operators/cli/table.ts';
import { type RestoreCase, runRestoreTest, type CaseResult } from './drill/restore-cases.ts';
import { endAll } from './system/start-system.ts';

const USAGE = `Usage: npm run drill:restore [-- --writes <n>] [--seed <n>]

Backs up a system of its own under writes, destroys it and restores it in each way of docs/backup.md: to the end of the
archive with an empty broker, to an instant while streams are ahead, and database and broker of the same moment. Then
checks that sources, statistics, audit log, tokens and an outside reader agree. It touches no other system.
  --writes  number of writes before and after each step (100)
  --seed    seed of the random writes; the same seed draws the same writes (1)
Exit code: 0 everything agrees, 1 something differs, 2 wrong arguments.`;

const STEPS = ['inspect', 'restore', 'start', 'compare', 'outside reader', 'back up again'];

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
  const results: [RestoreCase, CaseResult][] = [];
  await runRestoreTest({
    seed,
    writes,
    onResult: (restoreCase, result) => {
      results.push([restoreCase, result]);
      console.log(
        `${result.faults.length === 0 ? 'PASS' : 'FAIL'} ${restoreCase.name}: ${[...result.faults, ...result.notes].join('; ')}`,
      );
    },
  });
  const rows = results.map(([{ name }, { ms }]) => [
    name,
    ...STEPS.map((step) => (ms[step] === undefined ? '' : `${(ms[step] / 1_000).toFixed(1)} s`)),
  ]);
  console.log(table(['restored', ...STEPS], rows));
  return results.some(([, { faults }]) => faults.length > 0) ? 1 : 0;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
