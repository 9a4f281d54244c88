import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export type SystemUser = { uid: number; gid: number };

const idOf = (name: string): SystemUser | undefined => {
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return undefined;
  }
};

/**
 * Postgres refuses to run as root. Under root, this is the system user for it, created if missing; otherwise undefined, and Postgres
 * runs as the current user.
 */
export const postgresUser = (): SystemUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const known = idOf('postgres');
  if (known) return known;
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'ignore' });
  } catch {
    // Another start may have created it at the same moment: the next attempt decides.
  }
  const created = idOf('postgres');
  if (!created)
    throw new Error(
      'Postgres does not run as root, and the system user "postgres" could not be created. ' +
        'Start as an ordinary user, or set DATABASE_ADMIN_URL to a Postgres of your own.',
    );
  return created;
};

const mayEnter = (directory: string, user: SystemUser): boolean => {
  const { mode, uid, gid } = statSync(directory);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & 1) === 1;
};

/** Whether the user may walk into this directory from the root down. */
export const canReach = (directory: string, user: SystemUser): boolean => {
  const parent = dirname(directory);
  if (parent !== directory && !canReach(parent, user)) return false;
  return mayEnter(directory, user);
};
