import { type BusAddress, fixedValue } from '@teaching/kit';
import { dataDirFrom } from './data-dir.ts';
import { runningNats } from './running-nats.ts';
import { secretsIn } from './secrets.ts';
import type { Env } from './service-env.ts';

/** The bus of the local system as its admin, if one runs. */
export const localBus = (env: Env): BusAddress | undefined => {
  const dataDir = dataDirFrom(env);
  const url = runningNats(dataDir);
  if (url === undefined) return undefined;
  return { NATS_URL: url, NATS_USER: 'admin', NATS_PASSWORD: fixedValue([secretsIn(dataDir).nats.admin]) };
};
