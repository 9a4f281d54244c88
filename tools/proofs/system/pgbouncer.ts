import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopChild } from '@teaching/local/child.ts';
import { freePort } from '@teaching/local/ports.ts';
import { postgresUser } from '@teaching/local/postgres-user.ts';
import { expect } from 'vitest';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';

export interface PgBouncerOptions {
  mode: 'session' | 'transaction' | 'statement';
  /** Where Postgres listens on the loopback address. */
  port: number;
  /** Passwords by the users that may log in. */
  users: Readonly<Record<string, string>>;
}

export interface PgBouncer {
  port: number;
  stop: () => Promise<void>;
}

/** Libraries that came with the program: those of `usr/lib` and of the folders in it that are named by an architecture. */
const librariesIn = (unpacked: string): string => {
  const lib = join(unpacked, 'usr/lib');
  return [lib, ...readdirSync(lib).map((folder) => join(lib, folder))].join(':');
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

/** A real PgBouncer between a service and Postgres. */
export const startPgBouncer = async ({ mode, port: target, users }: PgBouncerOptions): Promise<PgBouncer> => {
  const unpacked = await unpackedFromDebian('pgbouncer');
  const folder = mkdtempSync(join(tmpdir(), 'teaching-pgbouncer-'));
  const port = await freePort();
  const [config, list] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${list}
pool_mode = ${mode}
default_pool_size = 40
`,
  );
  writeFileSync(
    list,
    Object.entries(users)
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(''),
  );
  // As Postgres, it does not run as root.
  const user = postgresUser();
  if (user !== undefined) for (const path of [folder, config, list]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const child = spawn(join(unpacked, 'usr/sbin/pgbouncer'), [config], {
    env: { ...process.env, LD_LIBRARY_PATH: librariesIn(unpacked) },
    stdio: 'ignore',
    ...user,
  });
  await expect.poll(() => answers(port)).toBe(true);
  return {
    port,
    stop: async () => {
      await stopChild(child, [
        ['SIGTERM', 2_000],
        ['SIGKILL', 2_000],
      ]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
