import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findNatsServer } from '../../setup/find-nats-server.mjs';
import { hasExited, stopChild, until } from './child.ts';
import { tail } from './file.ts';
import { stopLeftover } from './stop-leftover.ts';
import { startProgram } from './program.ts';
import { addressIn } from './running-nats.ts';

export type LocalNats = {
  url: string;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<void>;
  stop: () => Promise<void>;
  /** Reloads its configuration. Resolves when it confirmed. */
  reload: () => void;
  /** Lets its clients go to another server, and ends afterwards, like its chart and its unit. */
  retire: () => void;
  /** Ends it as a power cut would. */
  kill: () => Promise<void>;
  signal: (name: NodeJS.Signals) => void;
};

export type NatsOptions = {
  dataDir: string;
  /** Path of the server's configuration. */
  config: string;
  /** The passwords it names: NATS_<USER>_PASSWORD. */
  env: Record<string, string>;
  /** A free one by default. */
  port?: number | undefined;
  /** Path of the nats-server to run; by default NATS_SERVER, or the one that is found. */
  program?: string | undefined;
  /** Further flags. */
  flags?: readonly string[] | undefined;
};

const program = (): string => {
  const found = findNatsServer();
  if (!found) throw new Error('No nats-server found: "node tools/setup.mjs" downloads one, or explains how.');
  return found;
};

/** Also removes the ports files, of which a killed server leaves one behind. */
const clearLeftover = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const file of readdirSync(folder)) {
    const pid = /^nats-server_(\d+)\.ports$/.exec(file)?.[1];
    if (pid === undefined) continue;
    await stopLeftover(Number(pid), folder, ['SIGTERM', 'SIGKILL']);
    rmSync(join(folder, file), { force: true });
  }
};

const launch = (options: NatsOptions, folder: string, logFile: string): ChildProcess => {
  const address = ['--addr', '127.0.0.1', '--port', String(options.port ?? -1), '--ports_file_dir', folder];
  const args = ['--config', options.config, ...address, ...(options.flags ?? [])];
  // One thread for Go code: on two cores the services need the other one more.
  const env = { ...process.env, GOMAXPROCS: '1', NATS_STORE_DIR: JSON.stringify(folder), ...options.env };
  return startProgram(options.program ?? program(), args, { env, logFile, detached: true }).child;
};

/**
 * Runs nats-server on a free port of the loopback address, its streams kept below `dataDir`.
 * The caller holds the lock on `dataDir`. Its output goes to `dataDir/nats.log`.
 */
export const startNats = async (options: NatsOptions): Promise<LocalNats> => {
  const folder = join(options.dataDir, 'nats');
  const logFile = join(options.dataDir, 'nats.log');
  await clearLeftover(folder);
  const server = launch(options, folder, logFile);
  const portsFile = join(folder, `nats-server_${server.pid}.ports`);
  await until(() => hasExited(server) || addressIn(portsFile) !== undefined, 30_000);
  const url = addressIn(portsFile);
  if (hasExited(server) || url === undefined) {
    server.kill('SIGKILL');
    throw new Error(`nats-server did not start:\n${tail(logFile, 15)}`);
  }
  return {
    url,
    exited: new Promise((resolve) => server.once('exit', () => resolve())),
    stop: () =>
      stopChild(server, [
        ['SIGTERM', 5_000],
        ['SIGKILL', 1_000],
      ]),
    reload: () => void server.kill('SIGHUP'),
    retire: () => void server.kill('SIGUSR2'),
    kill: () => stopChild(server, [['SIGKILL', 5_000]]),
    signal: (name) => void server.kill(name),
  };
};
