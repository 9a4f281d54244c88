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

/** Runs a checkout's own migration; answers what it said. */
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

/** A server with the schemas of the checkout. What it answered must survive its death, so it writes before it answers. */
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

/** Lays a checkout's configuration of the broker where its server reads it, and answers the path. */
export const layNatsConfig = (checkout: string, dataDir: string, store = '10GB'): string => {
  // Once it lay beside other things.
  const folder = [join(checkout, 'deploy', 'nats'), join(checkout, 'deploy')].find((one) =>
    existsSync(join(one, 'nats.conf')),
  );
  const own = join(folder ?? checkout, 'nats.conf');
  const changed = join(dataDir, 'nats.conf');
  const users = join(folder ?? checkout, 'users.conf');
  if (existsSync(users)) copyFileSync(users, join(dataDir, 'users.conf'));
  const text = readFileSync(own, 'utf8').replace(/max_file_store: \S+/, `max_file_store: ${store}`);
  // Release 0.1.0 had it as a flag.
  writeFileSync(
    changed,
    text.includes('store_dir') ? text : text.replace('jetstream {', 'jetstream { store_dir: $NATS_STORE_DIR'),
  );
  return changed;
};
