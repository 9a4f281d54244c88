import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a tmpfs at `$1` that only the wrapped program sees and that ends with it. */
const MOUNT = 'mount -t tmpfs -o "size=$2" tmpfs "$1" && shift 2 && exec "$@"';
/** Root can mount directly; other users need a user namespace of their own. */
const NAMESPACE_FLAGS = [['--mount'], ['--mount', '--map-root-user']];

const wrap = (flags: readonly string[], at: string, bytes: number): string[] => [
  'unshare',
  ...flags,
  'sh',
  '-c',
  MOUNT,
  'sh',
  at,
  String(bytes),
];

const canMount = (flags: readonly string[]): boolean => {
  const at = mkdtempSync(join(tmpdir(), 'teaching-mount-'));
  const [program = '', ...args] = wrap(flags, at, 2 ** 20);
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
 * The command that a program is wrapped in to see a disk of `bytes` bytes at the folder `at`. `undefined` on a machine
 * that does not allow mounts.
 */
export const smallDisk = (at: string, bytes: number): string[] | undefined => {
  const flags = NAMESPACE_FLAGS.find(canMount);
  return flags === undefined ? undefined : wrap(flags, at, bytes);
};

/** The command that a program is wrapped in to have both outputs on a disk that is always full. */
export const FULL_DISK = ['sh', '-c', 'exec "$@" >/dev/full 2>&1', 'sh'];

/** A path in the mount namespace of a running process. */
export const pathInProcess = (pid: number, path: string): string => join(`/proc/${pid}/root`, path);
