import { runningNats } from './nats.ts';
import { natsPasswordName, secretsIn } from './secrets.ts';
import type { Env } from './service-env.ts';

/** The bus as its admin: the one the environment names (NATS_URL, NATS_ADMIN_PASSWORD), else the local one. */
export const adminBus = (dataDir: string, env: Env): { url: string; password: string } => {
  const given = env['NATS_URL'];
  if (given) return { url: given, password: env[natsPasswordName('admin')] ?? '' };
  const url = runningNats(dataDir);
  if (url === undefined)
    throw new Error('No bus: start the system with `npm start`, or set NATS_URL and NATS_ADMIN_PASSWORD.');
  return { url, password: secretsIn(dataDir).nats.admin };
};
