import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressIn } from './nats.ts';
import { natsPasswordName, secretsIn } from './secrets.ts';
import type { Env } from './service-env.ts';

/** Where the nats-server of a data folder listens, if it runs. */
const localAddress = (dataDir: string): string | undefined => {
  const folder = join(dataDir, 'nats');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ports')) : [];
  return files.map((name) => addressIn(join(folder, name))).find((url) => url !== undefined);
};

/** The bus as its admin: the one the environment names (NATS_URL, NATS_ADMIN_PASSWORD), else the local one. */
export const adminBus = (dataDir: string, env: Env): { url: string; password: string } => {
  const given = env['NATS_URL'];
  if (given) return { url: given, password: env[natsPasswordName('admin')] ?? '' };
  const url = localAddress(dataDir);
  if (url === undefined)
    throw new Error('No bus: start the system with `npm start`, or set NATS_URL and NATS_ADMIN_PASSWORD.');
  return { url, password: secretsIn(dataDir).nats.admin };
};
