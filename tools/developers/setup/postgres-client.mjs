import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedFromDebian } from './debian.mjs';
import { OWN_FOLDER } from './setup-paths.mjs';

/** Programs that back up a Postgres of this version, and no other. */
const MAJOR = 18;
/** The packages of the checkout's Postgres contain the server's programs only. */
const NEEDED = ['pg_basebackup', 'pg_receivewal', 'pg_verifybackup', 'psql'];
/** Suites that have this version of Postgres. */
const SUITES = ['forky', 'sid'];

const versionIn = (folder) => {
  try {
    const said = execFileSync(join(folder, 'pg_basebackup'), ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
  } catch {
    return undefined;
  }
};

const installed = () =>
  [`/usr/lib/postgresql/${MAJOR}/bin`, ...(process.env.PATH ?? '').split(':')].find(
    (folder) => versionIn(folder) === MAJOR && NEEDED.every((name) => existsSync(join(folder, name))),
  );

/** Programs of another suite run with that suite's libraries. */
const wrap = (unpacked, target) => {
  const half = `${target}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const libraries = readdirSync(join(unpacked, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  const folder = join(unpacked, 'usr/lib', libraries);
  const loader = readdirSync(folder).find((name) => name.startsWith('ld-linux'));
  for (const name of NEEDED) {
    const program = join(unpacked, 'usr/lib/postgresql', String(MAJOR), 'bin', name);
    writeFileSync(
      join(half, name),
      `#!/bin/sh\nexec '${join(folder, loader)}' --library-path '${folder}' '${program}' "$@"\n`,
    );
    chmodSync(join(half, name), 0o755);
  }
  renameSync(half, target);
};

const fromSuite = async () => {
  const target = join(OWN_FOLDER, 'debian', `postgresql-client-${MAJOR}-bin`);
  if (existsSync(target)) return target;
  const reasons = [];
  for (const suite of SUITES) {
    try {
      wrap(await unpackedFromDebian(`postgresql-client-${MAJOR}`, suite), target);
      return target;
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(`Postgres' programs for backups cannot be had: ${reasons.join('; ')}`);
};

/**
 * A folder with Postgres' programs for backups: the system's, else those of a newer suite of its distribution. Throws an error with the
 * reason if there are none.
 */
export const postgresClient = async () => installed() ?? (await fromSuite());
