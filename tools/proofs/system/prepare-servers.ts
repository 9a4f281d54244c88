import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDatabase } from '../../operators/migrate/provision.ts';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { type Secrets, SERVICES } from '@teaching/local/secrets.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { DATABASE, type PostgresServer } from './postgres-server.ts';

const run = promisify(execFile);

/** Runs the migration of a checkout and returns its output. */
export const migrate = async (
  checkout: string,
  adminUrl: string,
  secrets: Secrets,
  more: Env = {},
): Promise<string> => {
  const passwords = SERVICES.flatMap((service) =>
    Object.entries(secrets.database[service]).map(([role, value]) => [`${service}_${role}_PASSWORD`, value]),
  ).map(([name = '', value]) => [name.toUpperCase(), value]);
  const env = {
    PATH: process.env['PATH'],
    ...COMPILE_CACHE,
    ...Object.fromEntries(passwords),
    DATABASE_ADMIN_URL: adminUrl,
    ...more,
  };
  return (await run(process.execPath, [join(checkout, 'tools', 'migrate.ts')], { env })).stdout;
};

/**
 * Prepares a server with the schemas of the checkout. Acknowledged writes must survive a kill, so commits wait for the
 * disk.
 */
export const preparePostgres = async (server: PostgresServer, checkout: string, secrets: Secrets): Promise<void> => {
  await server.start();
  await ensureDatabase(server.adminUrl(), DATABASE);
  await server.sql(`alter database ${DATABASE} set synchronous_commit = on`);
  await migrate(checkout, server.adminUrl(), secrets);
};

export const folderIn = (parent: string, name: string): string => {
  const path = join(parent, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  return path;
};

/** Copies the broker configuration of a checkout into `dataDir` and returns its path. */
export const writeNatsConfig = (checkout: string, dataDir: string, store = '10GB'): string => {
  // Release 0.1.0 has it in `deploy`.
  const folder = [join(checkout, 'deploy', 'nats'), join(checkout, 'deploy')].find((candidate) =>
    existsSync(join(candidate, 'nats.conf')),
  );
  const source = join(folder ?? checkout, 'nats.conf');
  const target = join(dataDir, 'nats.conf');
  const users = join(folder ?? checkout, 'users.conf');
  if (existsSync(users)) copyFileSync(users, join(dataDir, 'users.conf'));
  const text = readFileSync(source, 'utf8').replace(/max_file_store: \S+/, `max_file_store: ${store}`);
  // Release 0.1.0 passes the store folder as a flag.
  writeFileSync(
    target,
    text.includes('store_dir') ? text : text.replace('jetstream {', 'jetstream { store_dir: $NATS_STORE_DIR'),
  );
  return target;
};
