import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keysIn } from '@teaching/local/keys.ts';
import { natsPasswords, SERVICES, type Secrets } from '@teaching/local/secrets.ts';
import { gatewayEnv, serviceEnv } from '@teaching/local/service-env.ts';
import pg from 'pg';
import { fixedValue } from '../../../../libs/kit/src/base/live-value.ts';
import type { Env } from '../../../../libs/kit/src/index.ts';
import { BROKER_CONFIG, usersConfig } from '../../broker/config.ts';
import { declarations } from '../../broker/declarations.ts';
import type { ProcessName } from '../installation.ts';
import { prepareStreams } from '../../streams/prepare.ts';
import { createNatsServer, type NatsServer } from '../../../proofs/system/nats-server.ts';
import { copyDatabase } from '../../../proofs/test/fixture.ts';

/** Settings of a broker. Streams are created unless it has no room for them. */
export interface BrokerOptions {
  config?: string;
  users?: string;
  streams?: boolean;
}

/** A complete system without its processes: a database, a broker, and an environment for each process. */
export interface HealthySystem {
  envs: Map<ProcessName, Env>;
  folder: string;
  secrets: Secrets;
  sql: (text: string) => Promise<unknown>;
  /** Starts another broker with the same passwords. Returns its address. */
  anotherBroker: (options: BrokerOptions) => Promise<string>;
  stop: () => Promise<void>;
}

export const LIMITS = { replicas: 1, max_bytes: 1_000_000_000 };

export const startHealthySystem = async (serverUrl: string, secrets: Secrets): Promise<HealthySystem> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-doctor-'));
  const brokers: NatsServer[] = [];
  const anotherBroker: HealthySystem['anotherBroker'] = async (options) => {
    const { config = BROKER_CONFIG, users = usersConfig(declarations), streams = true } = options;
    const dataDir = mkdtempSync(join(folder, 'broker-'));
    writeFileSync(join(dataDir, 'nats.conf'), config);
    writeFileSync(join(dataDir, 'users.conf'), users);
    const passwords = natsPasswords(secrets);
    const broker = createNatsServer({ dataDir, config: join(dataDir, 'nats.conf'), passwords });
    await broker.start();
    brokers.push(broker);
    const admin = { NATS_URL: broker.url(), NATS_USER: 'admin', NATS_PASSWORD: fixedValue([secrets.nats.admin]) };
    if (streams) await prepareStreams(admin, LIMITS);
    return broker.url();
  };
  const [adminUrl, natsUrl] = await Promise.all([copyDatabase(serverUrl), anotherBroker({})]);
  const addresses = { adminUrl, natsUrl, secrets };
  const gateway = gatewayEnv(addresses, keysIn(folder));
  const pool = new pg.Pool({ connectionString: adminUrl, max: 1 });
  return {
    envs: new Map<ProcessName, Env>([
      ['gateway', gateway],
      ...SERVICES.map((name) => [name, serviceEnv(name, addresses)] as const),
    ]),
    folder,
    secrets,
    sql: (text) => pool.query(text),
    anotherBroker,
    stop: async () => {
      await pool.end();
      await Promise.all(brokers.map((broker) => broker.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
