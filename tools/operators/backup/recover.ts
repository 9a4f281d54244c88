import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Programs } from './programs.ts';

/** A user of the operating system, by numbers. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface Recovered {
  /** Commit time of the last transaction; undefined if none followed the base backup. */
  last_commit: string | undefined;
  /** The timeline that begins with the restore. */
  timeline: number | undefined;
  /** Whether the archive ended before the wanted instant. */
  is_end: boolean;
}

export interface RecoverOptions {
  /** The data directory. */
  data: string;
  /** The folder with the log. */
  wal: string;
  to?: Date | undefined;
  timeline: number;
  programs: Programs;
  owner?: Owner | undefined;
  /** The instant up to which the archive has everything. */
  say: (line: string) => void;
}

const LOOK_MS = 100;
const TELL_MS = 10_000;
const TOO_EARLY = 'recovery ended before configured recovery target was reached';

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** Only a socket in a folder of its own accepts connections; the needed log is copied from the folder `wal`. */
const argumentsFor = ({ data, wal, to, timeline }: RecoverOptions, socketDir: string): string[] => {
  const settings: Record<string, string> = {
    restore_command: `cp ${quoted(wal)}/%f %p`,
    recovery_target_timeline: String(timeline),
    recovery_target_action: 'promote',
    ...(to === undefined
      ? {}
      : { recovery_target_time: to.toISOString().replace('Z', '+00'), recovery_target_inclusive: 'on' }),
    hot_standby: 'off',
    listen_addresses: '',
    unix_socket_directories: socketDir,
    lc_messages: 'C',
    log_timezone: 'UTC',
    logging_collector: 'off',
    log_destination: 'stderr',
    archive_mode: 'off',
    log_min_messages: 'warning',
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
};

/** The server writes its state to the eighth line of this file. */
const isReady = (data: string): boolean => {
  const note = join(data, 'postmaster.pid');
  return existsSync(note) && readFileSync(note, 'utf8').split('\n')[7]?.trim() === 'ready';
};

const last = (text: string, pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[1];

/** Commit time of the last applied transaction, from the server's log. */
const readLog = (log: string, is_end: boolean): Recovered => {
  const timeline = last(log, /selected new timeline ID: (\d+)/g);
  const last_commit = last(log, /last completed transaction was at log time (\S+ \S+)/g);
  return {
    last_commit: last_commit === undefined ? undefined : new Date(`${last_commit.replace(' ', 'T')}:00`).toISOString(),
    timeline: timeline === undefined ? undefined : Number(timeline),
    is_end,
  };
};

const attempt = async (options: RecoverOptions): Promise<{ log: string; isReady: boolean }> => {
  const { data, programs, owner, say } = options;
  const logFile = `${options.wal}/server.log`;
  const output = openSync(logFile, 'w', 0o600);
  await writeFile(join(data, 'recovery.signal'), '');
  if (owner !== undefined) await chown(join(data, 'recovery.signal'), owner.uid, owner.gid);
  const socketDir = await mkdtemp(join(tmpdir(), 'restore-'));
  if (owner !== undefined) await chown(socketDir, owner.uid, owner.gid);
  const name = programs.server ?? (programs.folder === undefined ? 'postgres' : join(programs.folder, 'postgres'));
  const server = spawn(name, argumentsFor(options, socketDir), {
    ...owner,
    cwd: '/',
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const isGone = (): boolean => server.exitCode !== null || server.signalCode !== null;
  const gone = new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`postgres cannot be run: ${error.message}`, { cause: error })));
    server.once('exit', () => resolve());
  });
  const begun = Date.now();
  let told = begun;
  try {
    while (!isGone() && !isReady(data)) {
      await Promise.race([gone, pause(LOOK_MS)]);
      if (Date.now() - told < TELL_MS) continue;
      told = Date.now();
      say(`applying the log for ${Math.round((told - begun) / 1_000)} s`);
    }
    return { log: readFileSync(logFile, 'utf8'), isReady: !isGone() };
  } finally {
    if (!isGone()) server.kill('SIGINT');
    await gone;
    await rm(socketDir, { recursive: true, force: true });
  }
};

/** Lets Postgres apply the log, become an ordinary server, and stop. Throws an error with its log if it cannot. */
export const recover = async (options: RecoverOptions): Promise<Recovered> => {
  const first = await attempt(options);
  if (first.isReady) return readLog(first.log, options.to === undefined);
  if (!first.log.includes(TOO_EARLY)) throw new Error(`Postgres could not recover:\n${first.log.slice(-2_000)}`);
  // As far as the archive knows, no commit lies between its end and the wanted instant.
  await rm(join(options.data, 'postmaster.pid'), { force: true });
  const second = await attempt({ ...options, to: undefined });
  if (second.isReady) return readLog(second.log, true);
  throw new Error(`Postgres could not recover:\n${second.log.slice(-2_000)}`);
};
