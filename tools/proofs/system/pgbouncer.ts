import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@teaching/local/ports.ts';
import { postgresUser } from '@teaching/local/postgres-user.ts';
import { startDebianProgram } from './debian-program.ts';
import { waitFor } from './poll.ts';

const START_MS = 60_000;

export interface PgBouncerOptions {
  mode: 'session' | 'transaction' | 'statement';
  /** Port of Postgres on the loopback address. */
  port: number;
  /** Passwords of the users that may log in, by user name. */
  users: Readonly<Record<string, string>>;
}

export interface PgBouncer {
  port: number;
  stop: () => Promise<void>;
}

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

/** Starts a real PgBouncer between a service and Postgres. */
export const startPgBouncer = async ({ mode, port: target, users }: PgBouncerOptions): Promise<PgBouncer> => {
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
  // Like Postgres, it does not run as root.
  const user = postgresUser();
  if (user !== undefined) for (const path of [folder, config, list]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const program = await startDebianProgram('pgbouncer', 'usr/sbin/pgbouncer', [config], user);
  await waitFor('PgBouncer listens', () => acceptsConnections(port), START_MS);
  return {
    port,
    stop: async () => {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
