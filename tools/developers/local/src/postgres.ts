import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withBatchScheduling } from './batch-scheduling.ts';
import { hasExited, stopChild, until } from './child.ts';
import { readOrMake, tail } from './file.ts';
import { stopLeftover } from './stop-leftover.ts';
import { freePort } from './ports.ts';
import { postgresFolder, privateFolder, type PostgresFolder } from './postgres-folder.ts';
import { initArguments, serverArguments } from './postgres-settings.ts';
import { postgresUser, type SystemUser } from './postgres-user.ts';
import { startProgram } from './program.ts';
import { urlOf } from './running-postgres.ts';

export type LocalPostgres = {
  /** Superuser on the database `postgres`, by Unix socket where the system has them. */
  adminUrl: string;
  socketDir: string;
  port: number;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};

export type PostgresOptions = {
  dataDir: string;
  log?: (line: string) => void;
  /** Faster, but not safe against a power cut: for tests. */
  throwaway?: boolean;
  /** Additional environment variables of the server. */
  env?: NodeJS.ProcessEnv;
};

const program = (place: PostgresFolder, name: string): string =>
  join(place.native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/** Makes the cluster beside its place and moves it there whole: a killed run leaves no half one. */
const makeCluster = async (place: PostgresFolder, user: SystemUser | undefined, password: string): Promise<void> => {
  if (existsSync(place.cluster)) return;
  const half = `${place.cluster}.new`;
  const passwordFile = join(place.socketDir, 'password');
  rmSync(half, { recursive: true, force: true });
  privateFolder(half, user);
  writeFileSync(passwordFile, password, { mode: 0o644 });
  await promisify(execFile)(program(place, 'initdb'), initArguments(half, passwordFile), { ...user, cwd: '/' });
  rmSync(passwordFile);
  renameSync(half, place.cluster);
};

const clearLeftover = async (cluster: string): Promise<void> => {
  const note = join(cluster, 'postmaster.pid');
  if (!existsSync(note)) return;
  const pid = Number.parseInt(readFileSync(note, 'utf8'), 10);
  await stopLeftover(pid, cluster, ['SIGINT', 'SIGQUIT']);
  rmSync(note, { force: true });
};

/** The server writes its state to the eighth line of this file. */
const isReady = (cluster: string, pid: number | undefined): boolean => {
  const note = join(cluster, 'postmaster.pid');
  if (!existsSync(note)) return false;
  const lines = readFileSync(note, 'utf8').split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};

const launch = (
  place: PostgresFolder,
  user: SystemUser | undefined,
  options: string[],
  logFile: string,
  env: NodeJS.ProcessEnv,
): ChildProcess => {
  const { command, args } = withBatchScheduling(program(place, 'postgres'), options);
  return startProgram(command, args, {
    env: { ...process.env, ...env },
    user,
    cwd: '/',
    logFile,
    detached: true,
    end: 'INT',
  }).child;
};

/**
 * Runs the packaged Postgres on a free port and a Unix socket, with its files below `dataDir`.
 * The caller holds the lock on `dataDir`. Its output goes to `dataDir/postgres.log`.
 */
export const startPostgres = async (options: PostgresOptions): Promise<LocalPostgres> => {
  const { dataDir, log = () => undefined, throwaway = false, env = {} } = options;
  mkdirSync(dataDir, { recursive: true });
  const user = postgresUser();
  const place = postgresFolder(dataDir, user, log);
  const password = readOrMake(join(dataDir, 'postgres-password'), () => randomBytes(24).toString('hex'));
  await clearLeftover(place.cluster);
  await makeCluster(place, user, password);

  const port = await freePort();
  const logFile = join(dataDir, 'postgres.log');
  const server = launch(place, user, serverArguments(place, port, throwaway), logFile, env);
  await until(() => hasExited(server) || isReady(place.cluster, server.pid), 60_000);
  if (hasExited(server) || !isReady(place.cluster, server.pid)) {
    server.kill('SIGKILL');
    throw new Error(`Postgres did not start:\n${tail(logFile, 15)}`);
  }
  return {
    adminUrl: urlOf(place, port, password),
    socketDir: place.socketDir,
    port,
    exited: new Promise((resolve) => server.once('exit', () => resolve())),
    // Fast shutdown first (ends connections, writes a checkpoint), then immediate, which recovers later.
    stop: () =>
      stopChild(server, [
        ['SIGINT', 8_000],
        ['SIGQUIT', 2_000],
        ['SIGKILL', 1_000],
      ]),
  };
};
