import { adminAddress, adminConfig, type BusAddress, fixed, oneBrokerLogin, readConfig } from '@teaching/kit';
import { z } from 'zod';
import { dataDirFrom } from './data-dir.ts';
import { runningNats } from './running-nats.ts';
import { secretsIn } from './secrets.ts';
import type { Env } from './service-env.ts';

const Config = z.object(adminConfig).superRefine(oneBrokerLogin);

/** The bus as its admin: the one the environment names (NATS_URL, NATS_ADMIN_PASSWORD and the like), else the local one. */
export const adminBus = (env: Env): BusAddress => {
  if (env['NATS_URL']) return adminAddress(readConfig(Config, env));
  const dataDir = dataDirFrom(env);
  const url = runningNats(dataDir);
  if (url === undefined)
    throw new Error('No bus: start the system with `npm start`, or set NATS_URL and NATS_ADMIN_PASSWORD.');
  return { NATS_URL: url, NATS_USER: 'admin', NATS_PASSWORD: fixed([secretsIn(dataDir).nats.admin]) };
};
