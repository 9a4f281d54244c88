import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory at `$1`, which only the program behind it sees, and which goes with it. */
const MOUNT = 'mount -t tmpfs -o "size=$2" tmpfs "$1" && shift 2 && exec "$@"';
/** Root may as it is; others where the system lets everybody be root of a space of their own. */
const WAYS = [['--mount'], ['--mount', '--map-root-user']];

const behind = (way: readonly string[], at: string, bytes: number): string[] => [
  'unshare',
  ...way,
  'sh',
  '-c',
  MOUNT,
  'sh',
  at,
  String(bytes),
];

const goes = (way: readonly string[]): boolean => {
  const at = mkdtempSync(join(tmpdir(), 'teaching-mount-'));
  const [program = '', ...args] = behind(way, at, 2 ** 20);
  try {
    execFileSync(program, [...args, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(at, { recursive: true });
  }
};

/**
 * What a program is started behind, so that it finds a disk of so many bytes at this folder; undefined where this machine
 * lets nobody mount one.
 */
export const smallDisk = (at: string, bytes: number): string[] | undefined => {
  const way = WAYS.find(goes);
  return way === undefined ? undefined : behind(way, at, bytes);
};

/** A path as a running process sees it. */
export const seenBy = (pid: number, path: string): string => join(`/proc/${pid}/root`, path);
