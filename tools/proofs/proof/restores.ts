import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeBase } from '../../operators/backup/take-base.ts';
import { type BackedUpPostgres, startBackedUpPostgres } from '../drill/backed-up-postgres.ts';
import { pause } from '../system/poll.ts';
import { createPostgresServer, DATABASE, type PostgresServer } from '../system/postgres-server.ts';
import { ensureDatabase } from '../../operators/migrate/provision.ts';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';
import type { Proof, ProofOptions } from './proof.ts';

/** Base backups are named by the second, so two of them need a second between them. */
const NAME_RESOLUTION_MS = 1_000;
const RESTORES_OF_EACH = 5;

const makeKeys = (bin: string, folder: string) => {
  const identity = join(folder, 'identity');
  execFileSync(join(bin, 'age-keygen'), ['--output', identity], { stdio: 'ignore' });
  const recipient = execFileSync(join(bin, 'age-keygen'), ['-y', identity], { encoding: 'utf8' }).trim();
  return { identity, recipient };
};

/** Takes a base backup of another size than before, because a fault may depend on the size. */
const takeLargerBase = async (server: PostgresServer, backup: BackedUpPostgres, number: number): Promise<string> => {
  await server.sql(`create table more_${number} as select ${number} as n`);
  await pause(NAME_RESOLUTION_MS);
  const { name } = await takeBase(backup.archive, backup.programs, backup.keys);
  return name;
};

const restoreRepeatedly = async (
  server: PostgresServer,
  backup: BackedUpPostgres,
  into: string,
  options: ProofOptions,
) => {
  const { count, signal, log } = options;
  let [tried, succeeded] = [0, 0];
  let newest = '';
  while (tried < count && !signal.aborted) {
    if (tried % RESTORES_OF_EACH === 0) newest = await takeLargerBase(server, backup, tried);
    tried += 1;
    try {
      const { base } = await backup.restore(into);
      if (base !== newest) throw new Error(`base backup ${base} was restored instead of ${newest}`);
      succeeded += 1;
    } catch (error) {
      log(`${tried}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await rm(into, { recursive: true, force: true });
    if (tried % 10 === 0) log(`${succeeded} of ${tried} restores succeeded`);
  }
  return { succeeded, tried };
};

const proveRestores = async (folder: string, options: ProofOptions) => {
  const bin = join(await unpackedFromDebian('age'), 'usr/bin');
  const server = createPostgresServer(await mkdtemp(join(folder, 'server-')));
  try {
    await server.start();
    await ensureDatabase(server.adminUrl(), DATABASE);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const backup = await startBackedUpPostgres(server, { keys: makeKeys(bin, folder), env });
    try {
      await backup.waitForBases(1);
      return await restoreRepeatedly(server, backup, join(folder, 'restored'), options);
    } finally {
      await backup.end();
    }
  } finally {
    await server.end();
  }
};

/** Each repetition unpacks a base backup, compares it with its manifest and recovers it to the end of the archive. */
export const restores: Proof = {
  name: 'restores',
  about: 'a valid encrypted backup is restored every time',
  minutes: 7,
  count: 100,
  run: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'teaching-restores-'));
    try {
      // Postgres does not run as root and needs access to this folder.
      await chmod(folder, 0o755);
      return await proveRestores(folder, options);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
