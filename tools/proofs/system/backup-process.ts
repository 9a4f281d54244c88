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
const BASE_MS = 60_000;
const STOP_MS = 60_000;

export interface BackupStart {
  /** Below the folder of all archives. */
  archive: string;
  /** Beside what it always has. */
  env?: Env;
  /** A program that runs it. */
  behind?: readonly string[];
}

/** `tools/backup.ts run` as a process of its own, which can be treated badly. */
export interface BackupProcess {
  /** Where it tells its figures. */
  port: number;
  /** Of all archives. */
  folder: string;
  start: (how: BackupStart) => void;
  pid: () => number;
  /** Resolves when an archive, by its path as we see it, has so many base backups. */
  bases: (path: string, count: number) => Promise<void>;
  /** In order, as for a restart. */
  stop: () => Promise<void>;
  /** SIGKILL to it and all that it has started. */
  kill: () => Promise<void>;
  end: () => Promise<void>;
}

export const createBackupProcess = async (server: PostgresServer): Promise<BackupProcess> => {
  const password = randomBytes(12).toString('hex');
  await provisionBackup(server.adminUrl(), password);
  const folder = mkdtempSync(join(tmpdir(), 'teaching-archives-'));
  // The server has another port after each start.
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
  const said = (): string => running?.output().slice(-4_000) ?? '';

  const stop = async (): Promise<void> => {
    if (running === undefined || hasExited(running.child)) return;
    running.child.kill('SIGTERM');
    if (!(await exitedWithin(running.child, STOP_MS))) throw new Error(`the backup does not stop: ${said()}`);
  };
  const kill = async (): Promise<void> => {
    const { child } = running ?? {};
    if (child?.pid === undefined || hasExited(child)) return;
    for (const member of familyOf(child.pid)) signal(member, 'SIGKILL');
    await exitedWithin(child, STOP_MS);
  };
  return {
    port,
    folder,
    start: ({ archive, env: more = {}, behind = [] }) => {
      const [program, ...args] = [...behind, process.execPath, TOOL, 'run'];
      const all = { ...env, BACKUP_ARCHIVE: join(folder, archive), ...more };
      running = startProgram(program, args, { env: all });
    },
    pid: () => running?.child.pid ?? 0,
    bases: (path, count) =>
      waitFor(`${count} base backups`, async () => (await basesIn(archiveAt(path))).length >= count, BASE_MS).catch(
        (error: unknown) => {
          throw new Error(`${String(error)}: ${said()}`, { cause: error });
        },
      ),
    stop,
    kill,
    end: async () => {
      await kill();
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
