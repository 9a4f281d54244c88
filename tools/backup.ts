import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { archiveAt, basesIn, identityOf, untilOf } from './backup/archive.ts';
import { tellFigures } from './backup/figures.ts';
import { Keeper, type Log } from './backup/keeper.ts';
import { optionsFrom } from './backup/options.ts';
import { restore } from './backup/restore.ts';
import { systemOwner } from './backup/owner.ts';
import { takeBase, tidy } from './backup/take.ts';
import { faultsOf } from './backup/verify.ts';

const USAGE = `Usage: node tools/backup.ts <command>

  run       keeps the archive up to date: the log as it comes, a base backup every day
  now       makes a base backup beside that
  list      what base backups there are, and up to when the archive has everything
  verify    reads every base backup and looks whether its log is complete
  restore   --into <folder> [--to <instant>] [--timeline <n>]
            a database cluster as it was at the end of the archive, or at that instant (RFC 3339)

docs/backup.md has the variables and what to do when.
Exit code: 0 all is well, 1 something is not, 2 wrong arguments.`;

const log: Log = (level, msg, more = {}) =>
  console.log(JSON.stringify({ level, time: new Date().toISOString(), service: 'backup', ...more, msg }));

const say = (line: string): void => console.error(line);

const instant = (text: string | undefined): Date | undefined => {
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new Error(`--to is no instant with its offset, such as 2026-11-21T10:00:00Z: ${text}`);
  return at;
};

const keep = async (): Promise<number> => {
  const { port, ...options } = optionsFrom(process.env);
  mkdirSync(options.archive.folder, { recursive: true });
  const keeper = new Keeper({ ...options, log });
  const server = port === undefined ? undefined : tellFigures(port, () => keeper.state);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await keeper.run(stop.signal);
  server?.close();
  return 0;
};

const takeNow = async (): Promise<number> => {
  const { archive, programs, keys, keep: kept } = optionsFrom(process.env);
  const { name, bytes } = await takeBase(archive, programs, keys);
  const identity = await identityOf(archive);
  if (identity !== undefined) await tidy(archive, kept, identity.segment_size);
  say(`base backup ${name}: ${bytes} bytes`);
  return 0;
};

const list = async (): Promise<number> => {
  const archive = archiveAt(optionsFrom(process.env).archive.folder);
  for (const { name, timeline, finished_at, bytes, server_version } of await basesIn(archive))
    console.log(JSON.stringify({ name, finished_at, timeline, bytes, server_version }));
  console.log(JSON.stringify({ until: await untilOf(archive) }));
  return 0;
};

const verify = async (): Promise<number> => {
  const { archive, programs, keys } = optionsFrom(process.env);
  const faults = await faultsOf(archive, programs, keys);
  for (const fault of faults) say(fault);
  if (faults.length === 0) say('every base backup is sound, and has its log');
  return faults.length === 0 ? 0 : 1;
};

const putBack = async (into: string, to: Date | undefined, timeline: number | undefined): Promise<number> => {
  const { archive, programs, keys } = optionsFrom(process.env);
  const restored = await restore({ archive, into, to, timeline, programs, keys, owner: systemOwner(), say });
  console.log(JSON.stringify(restored));
  return 0;
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      into: { type: 'string' },
      to: { type: 'string' },
      timeline: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const [command, ...more] = positionals;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (more.length === 0 && command === 'run') return keep();
  if (more.length === 0 && command === 'now') return takeNow();
  if (more.length === 0 && command === 'list') return list();
  if (more.length === 0 && command === 'verify') return verify();
  if (more.length === 0 && command === 'restore' && values.into !== undefined)
    return putBack(
      values.into,
      instant(values.to),
      values.timeline === undefined ? undefined : Number(values.timeline),
    );
  say(USAGE);
  return 2;
};

process.exitCode = await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  return 1;
});
