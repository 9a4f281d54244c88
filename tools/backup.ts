import { parseArgs } from 'node:util';
import {
  type ActionContext,
  instantIn,
  keepArchive,
  listBases,
  restoreArchive,
  takeBaseNow,
  verifyArchive,
} from './operators/backup/backup-actions.ts';

const USAGE = `Usage: node tools/backup.ts <command>

  run       keeps the archive up to date: the log as it comes, a base backup every day
  now       makes a base backup beside that
  list      what base backups there are, and up to when the archive has everything
  verify    reads every base backup and looks whether its log is complete
  restore   --into <folder> [--to <instant>] [--timeline <n>]
            a database cluster as it was at the end of the archive, or at that instant (RFC 3339)

docs/backup.md has the variables and what to do when.
Exit code: 0 success, 1 the check found a problem, 2 wrong arguments, 3 failure.`;

const around: ActionContext = {
  env: process.env,
  print: (text) => console.log(text),
  note: (text) => console.error(text),
};

const stopped = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
};

const OPTIONS = {
  into: { type: 'string' },
  to: { type: 'string' },
  timeline: { type: 'string' },
  help: { type: 'boolean' },
} as const;

// No library reads the arguments: the image of the backup has no packages. `teaching backup` is the same.
const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const [command, ...more] = positionals;
  const { into, timeline, help } = values;
  const to = values.to === undefined ? undefined : instantIn(values.to);
  if (help) console.log(USAGE);
  else if (more.length > 0 || (values.to !== undefined && to === undefined)) {
    console.error(
      more.length > 0 ? USAGE : `--to is no instant with its offset, such as 2026-11-21T10:00:00Z: ${values.to}`,
    );
    return 2;
  } else if (command === 'run') {
    // A backup continues when its log cannot be written; without listeners Node would end it.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
    await keepArchive(around, stopped());
  } else if (command === 'now') await takeBaseNow(around);
  else if (command === 'list') await listBases(around);
  else if (command === 'verify') return (await verifyArchive(around)) ? 0 : 1;
  else if (command === 'restore' && into !== undefined)
    await restoreArchive(around, { into, to, timeline: timeline === undefined ? undefined : Number(timeline) });
  else {
    console.error(USAGE);
    return 2;
  }
  return 0;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 3;
});
