import { withDatabase } from '../../../operators/migrate/provision.ts';
import { dataDirFrom } from './data-dir.ts';
import { keysIn } from './keys.ts';
import { runningNats } from './running-nats.ts';
import { DATABASE, runningPostgres } from './running-postgres.ts';
import { SERVICES, secretsIn } from './secrets.ts';
import { type Env, gatewayEnv, serviceEnv } from './service-env.ts';
import { settingsFrom } from './settings.ts';

/** The environments of the processes of the local system, by their names, if its servers run. */
export const localProcesses = (env: Env): ReadonlyMap<string, Env> | undefined => {
  const dataDir = dataDirFrom(env);
  const [postgres, natsUrl] = [runningPostgres(dataDir), runningNats(dataDir)];
  if (postgres === undefined || natsUrl === undefined) return undefined;
  const addresses = { adminUrl: withDatabase(postgres, DATABASE), natsUrl, secrets: secretsIn(dataDir) };
  const { host, port } = settingsFrom(env);
  const gateway = gatewayEnv(addresses, { jwksFile: keysIn(dataDir).jwksFile, host, port });
  return new Map<string, Env>([
    ['gateway', gateway],
    ...SERVICES.map((name) => [name, serviceEnv(name, addresses)] as const),
  ]);
};
