import { z } from 'zod';
import {
  adminAddress,
  adminConfig,
  type BusAddress,
  type Env,
  oneBrokerLogin,
  readConfig,
} from '../../../libs/kit/src/index.ts';

const Config = z.object(adminConfig).superRefine(oneBrokerLogin);

/**
 * Connects to the bus as its admin: the bus that the environment names (NATS_URL, NATS_ADMIN_PASSWORD and others), else the local
 * one. Where there is none, as in the image, nothing of the local runner is loaded.
 */
export const adminBus = async (env: Env): Promise<BusAddress> => {
  if (env['NATS_URL']) return adminAddress(readConfig(Config, env));
  const { localBus } = await import('@teaching/local/nats-address.ts');
  const found = localBus(env);
  if (found === undefined)
    throw new Error('No bus: start the system with `npm start`, or set NATS_URL and NATS_ADMIN_PASSWORD.');
  return found;
};
