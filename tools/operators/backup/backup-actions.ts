import { archiveAt, basesIn, identityOf, untilOf } from './archive.ts';
import { serveMetrics } from './backup-metrics.ts';
import { Keeper, type Log } from './keeper.ts';
import { optionsFrom } from './options.ts';
import { restore } from './restore.ts';
import { systemOwner } from './owner.ts';
import { takeBase, removeOldFiles } from './take-base.ts';
import { faultsOf } from './verify.ts';

/** The environment of the commands of `tools/backup.ts` and of the command line. */
export interface ActionContext {
  env: NodeJS.ProcessEnv;
  /** Prints a part of the answer. */
  print: (text: string) => void;
  /** Prints a remark beside the answer. */
  note: (text: string) => void;
}

/** Parses an instant with its offset (RFC 3339); undefined if it is none. */
export const instantIn = (text: string): Date | undefined => {
  const at = new Date(text);
  return /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(at.getTime()) ? at : undefined;
};

/** Keeps the archive up to date until the signal is aborted. */
export const keepArchive = async ({ env, print }: ActionContext, stop: AbortSignal): Promise<void> => {
  const { port, ...options } = optionsFrom(env);
  const log: Log = (level, msg, more = {}) =>
    print(JSON.stringify({ level, time: new Date().toISOString(), service: 'backup', ...more, msg }));
  const keeper = new Keeper({ ...options, log });
  const server = port === undefined ? undefined : serveMetrics(port, () => keeper.state);
  try {
    await keeper.run(stop);
  } finally {
    // A process that no longer backs up must not report that it is ready.
    server?.close();
  }
};

export const takeBaseNow = async ({ env, note }: ActionContext): Promise<{ name: string; bytes: number }> => {
  const { archive, programs, keys, keep: kept } = optionsFrom(env);
  const { name, bytes } = await takeBase(archive, programs, keys);
  const identity = await identityOf(archive);
  if (identity !== undefined) await removeOldFiles(archive, kept, identity.segment_size);
  note(`base backup ${name}: ${bytes} bytes`);
  return { name, bytes };
};

export const listBases = async ({ env, print }: ActionContext): Promise<void> => {
  const archive = archiveAt(optionsFrom(env).archive.folder);
  for (const { name, timeline, finished_at, bytes, server_version } of await basesIn(archive))
    print(JSON.stringify({ name, finished_at, timeline, bytes, server_version }));
  print(JSON.stringify({ until: await untilOf(archive) }));
};

/** Returns whether every base backup is intact. */
export const verifyArchive = async ({ env, note }: ActionContext): Promise<boolean> => {
  const { archive, programs, keys } = optionsFrom(env);
  const faults = await faultsOf(archive, programs, keys);
  for (const fault of faults) note(fault);
  if (faults.length === 0) note('every base backup is intact, and has its log');
  return faults.length === 0;
};

export interface RestoreRequest {
  into: string;
  to?: Date | undefined;
  timeline?: number | undefined;
}

export const restoreArchive = async (
  { env, print, note }: ActionContext,
  { into, to, timeline }: RestoreRequest,
): Promise<void> => {
  const { archive, programs, keys } = optionsFrom(env);
  const restored = await restore({ archive, into, to, timeline, programs, keys, owner: systemOwner(), say: note });
  print(JSON.stringify(restored));
};
