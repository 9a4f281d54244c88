import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Archive, archiveAt, basesIn } from '../../operators/backup/archive.ts';
import { Keeper, type State } from '../../operators/backup/keeper.ts';
import { systemOwner } from '../../operators/backup/owner.ts';
import type { Programs } from '../../operators/backup/programs.ts';
import { type Restored, restore } from '../../operators/backup/restore.ts';
import type { Keys } from '../../operators/backup/encrypt.ts';
import { faultsOf } from '../../operators/backup/verify.ts';
import { waitFor } from '../system/poll.ts';
import type { PostgresServer } from '../system/postgres-server.ts';
import { provisionBackup } from '../../operators/migrate/provision.ts';
import { postgresClient } from '../../developers/setup/postgres-client.mjs';

const HOUR_MS = 3_600_000;
const POLL_MS = 200;
const TIMEOUT_MS = 60_000;

/** A Postgres server with a running backup process that writes to its own archive folder. */
export interface BackedUpPostgres {
  archive: Archive;
  programs: Programs;
  keys: Keys;
  state: () => State;
  /** Warnings and errors of the backup process, one line each. */
  warnings: readonly string[];
  /** Resolves when the archive contains at least `count` base backups. */
  waitForBases: (count: number) => Promise<void>;
  /** Resolves when the archive contains everything that was committed before this call. */
  waitUntilArchived: () => Promise<void>;
  /** Faults of the archive, one line each; empty when it is sound. */
  faults: () => Promise<string[]>;
  restore: (into: string, to?: Date) => Promise<Restored>;
  /** Ends the backup process. The archive stays until `end`. */
  stop: () => Promise<void>;
  start: () => void;
  end: () => Promise<void>;
}

export interface BackedUpPostgresOptions {
  keys?: Keys;
  keep?: number;
  every_ms?: number;
  /** Extra environment variables of the Postgres programs. */
  env?: Readonly<Record<string, string>>;
}

export const startBackedUpPostgres = async (
  server: PostgresServer,
  options: BackedUpPostgresOptions = {},
): Promise<BackedUpPostgres> => {
  const password = randomBytes(12).toString('hex');
  await provisionBackup(server.adminUrl(), password);
  const folder = await mkdtemp(join(tmpdir(), 'teaching-archive-'));
  const archive = archiveAt(folder);
  const env = {
    PATH: process.env['PATH'],
    PGHOST: '127.0.0.1',
    // The port changes with each start.
    get PGPORT() {
      return String(server.target().port);
    },
    PGUSER: 'teaching_backup',
    PGPASSWORD: password,
    PGDATABASE: 'postgres',
    ...options.env,
  };
  const programs: Programs = { folder: await postgresClient(), server: server.program, env };
  const { keys = {}, keep = 3, every_ms = HOUR_MS } = options;
  const warnings: string[] = [];
  let stopping = new AbortController();
  let running = Promise.resolve();
  let backup: Keeper;
  const start = (): void => {
    backup = new Keeper({
      archive,
      programs,
      keys,
      keep,
      every_ms,
      look_ms: POLL_MS,
      verify: true,
      log: (level, msg) => void (level === 'info' || warnings.push(msg)),
    });
    stopping = new AbortController();
    running = backup.run(stopping.signal);
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  start();
  return {
    archive,
    programs,
    keys,
    state: () => backup.state,
    warnings,
    waitForBases: (count) =>
      waitFor(`${count} base backups`, async () => (await basesIn(archive)).length >= count, TIMEOUT_MS),
    waitUntilArchived: async () => {
      const now = Date.now();
      await waitFor('the archive is complete', () => (backup.state.until?.getTime() ?? 0) > now, TIMEOUT_MS);
    },
    faults: () => faultsOf(archive, programs, keys),
    restore: (into, to) => restore({ archive, into, to, programs, keys, owner: systemOwner(), say: () => undefined }),
    stop,
    start,
    end: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
