import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitedWithin, hasExited } from '@teaching/local/child.ts';
import { type Program, startProgram } from '@teaching/local/program.ts';
import { freePort } from '@teaching/local/ports.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { archiveAt, basesIn } from '../../operators/backup/archive.ts';
import { provisionBackup } from '../../operators/migrate/provision.ts';
import { postgresClient } from '../../developers/setup/postgres-client.mjs';
import { waitFor } from './poll.ts';
import type { PostgresServer } from './postgres-server.ts';
import { familyOf, signal } from './process-family.ts';
import { startProxy } from './tcp-proxy.ts';

const TOOL = fileURLToPath(new URL('../../backup.ts', import.meta.url));
const BASE_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;

export interface BackupStart {
  /** Folder of this archive, relative to the folder of all archives. */
  archive: string;
  /** Environment variables in addition to the usual ones. */
  env?: Env;
  /** A program that runs the backup, with its arguments. */
  wrapper?: readonly string[];
}

/** `tools/backup.ts run` as a separate process that a test can stop and kill. */
export interface BackupProcess {
  /** Port of the metrics. */
  port: number;
  /** The folder of all archives. */
  folder: string;
  start: (how: BackupStart) => void;
  pid: () => number;
  /** Resolves when the archive at `path` contains `count` base backups. */
  waitForBases: (path: string, count: number) => Promise<void>;
  /** Stops it with SIGTERM, as a restart does. */
  stop: () => Promise<void>;
  /** Sends SIGKILL to it and all processes that it started. */
  kill: () => Promise<void>;
  end: () => Promise<void>;
}

export const createBackupProcess = async (server: PostgresServer): Promise<BackupProcess> => {
  const password = randomBytes(12).toString('hex');
  await provisionBackup(server.adminUrl(), password);
  const folder = mkdtempSync(join(tmpdir(), 'teaching-archives-'));
  // The port of the server changes with each start, so the backup connects to a proxy.
  const proxy = await startProxy(server.target);
  const port = await freePort();
  const env: Env = {
    PATH: process.env['PATH'],
    PG_BIN: await postgresClient(),
    PGHOST: '127.0.0.1',
    PGPORT: String(proxy.port),
    PGUSER: 'teaching_backup',
    PGPASSWORD: password,
    PGDATABASE: 'postgres',
    METRICS_PORT: String(port),
  };
  let running: Program | undefined;
  const output = (): string => running?.output().slice(-4_000) ?? '';

  const stop = async (): Promise<void> => {
    if (running === undefined || hasExited(running.child)) return;
    running.child.kill('SIGTERM');
    if (!(await exitedWithin(running.child, STOP_TIMEOUT_MS))) throw new Error(`the backup did not stop: ${output()}`);
  };
  const kill = async (): Promise<void> => {
    const { child } = running ?? {};
    if (child?.pid === undefined || hasExited(child)) return;
    for (const member of familyOf(child.pid)) signal(member, 'SIGKILL');
    await exitedWithin(child, STOP_TIMEOUT_MS);
  };
  return {
    port,
    folder,
    start: ({ archive, env: more = {}, wrapper = [] }) => {
      const [program, ...args] = [...wrapper, process.execPath, TOOL, 'run'];
      const all = { ...env, BACKUP_ARCHIVE: join(folder, archive), ...more };
      running = startProgram(program, args, { env: all });
    },
    pid: () => running?.child.pid ?? 0,
    waitForBases: (path, count) =>
      waitFor(
        `${count} base backups`,
        async () => (await basesIn(archiveAt(path))).length >= count,
        BASE_TIMEOUT_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${output()}`, { cause: error });
      }),
    stop,
    kill,
    end: async () => {
      await kill();
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
