import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import type { Env, Overrides, RunningService } from '../../../libs/kit/src/index.ts';
import type { AnyCall } from '../../../libs/contracts/src/call.ts';
import { BROKER_CONFIG, usersConfig } from '../../operators/broker/config.ts';
import { declarations } from '../../operators/broker/declarations.ts';
import { withDatabase } from '../../operators/migrate/provision.ts';
import { start as startClazz } from '../../../services/clazz/src/main.ts';
import { start as startCourse } from '../../../services/course/src/main.ts';
import { start as startGateway } from '../../../services/gateway/src/main.ts';
import { start as startPackage } from '../../../services/package/src/main.ts';
import { start as startStats } from '../../../services/stats/src/main.ts';
import { issueToken, type Keys, keysIn } from '@teaching/local/keys.ts';
import { natsPasswords, SERVICES, type ServiceName } from '@teaching/local/secrets.ts';
import { gatewayEnv, serviceEnv } from '@teaching/local/service-env.ts';
import { createNatsServer, type NatsServer } from '../system/nats-server.ts';
import { createApi, type Api } from './api.ts';
import { againstDocument } from './document.ts';
import { type LogLine, logLines } from './log-lines.ts';
import { type PublishedRevocations, publishRevocations } from './publish-revocations.ts';
import { TEMPLATE } from './template.ts';
import { type EventLog, eventLogOf } from './logged-events.ts';

const starters: Record<ServiceName, (env: Env, overrides?: Overrides) => Promise<RunningService>> = {
  clazz: startClazz,
  course: startCourse,
  package: startPackage,
  stats: startStats,
};

export interface FixtureOptions {
  services?: readonly ServiceName[];
  /** URL of a database to use instead of a new one; the services migrate it. */
  adminUrl?: string;
  /** Clock of the services. */
  clock?: () => Date;
  /** Additional environment of all services and the gateway. */
  env?: Env;
  /** Path of the nats-server program; default the installed one. */
  natsServer?: string;
  /** Calls without a contract that services may send in this test. */
  calls?: readonly AnyCall[];
  /** Revoked tokens when the class service is not started; default none. */
  revocations?: PublishedRevocations;
  /** Addresses of brokers that the test runs itself, as a value of NATS_URL. */
  natsUrl?: string;
}

export interface Person {
  role: Role | readonly Role[];
  org?: string;
  sub?: string;
  ttlSeconds?: number;
  issuer?: string;
  audience?: string;
}

/** A system for one test file: database, broker, the selected services and a gateway. */
export interface Fixture {
  /** Id of an organization that no other fixture uses. */
  org: string;
  /** A client of the API as a person of `org`. */
  as(person: Person): Api;
  /** A client of the API with this Authorization header, or without one. */
  raw(authorization?: string): Api;
  token(person: Person): string;
  address: string;
  /** Keys of the token issuer. The gateway reads the public half. */
  keys: Keys;
  /** The environment of a service, for starting another instance. */
  envFor(service: ServiceName): Env;
  startService(service: ServiceName): Promise<RunningService>;
  /** URL of the superuser for the fixture's database. */
  adminUrl: string;
  /** Runs a statement as superuser. For checks, not for preparing data. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
  /** Warnings and errors of services and gateway so far. A failed call quotes those of its request. */
  logged(): readonly LogLine[];
  /**
   * Events that a service has published so far, in order: `events('clazz', clazzEvents.lessonChanged)`, by name, or
   * all.
   */
  events: EventLog;
  nats: Pick<NatsServer, 'store' | 'start' | 'stop' | 'reload' | 'restart'> & { url: string };
  stop(): Promise<void>;
}

export const copyDatabase = async (adminUrl: string): Promise<string> => {
  const name = `t_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: withDatabase(adminUrl, 'postgres') });
  await client.connect();
  try {
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
    // Privileges on a database are not copied from its template.
    await client.query(`revoke temporary on database ${name} from public`);
  } finally {
    await client.end();
  }
  return withDatabase(adminUrl, name);
};

export const startFixture = async (options: FixtureOptions = {}): Promise<Fixture> => {
  const { adminUrl: serverUrl, secrets } = inject('stack');
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-fixture-'));
  chmodSync(dataDir, 0o711);
  const adminUrl = options.adminUrl ?? (await copyDatabase(serverUrl));
  const config = join(dataDir, 'nats.conf');
  const users = usersConfig({ ...declarations, calls: [...declarations.calls, ...(options.calls ?? [])] });
  writeFileSync(config, BROKER_CONFIG);
  writeFileSync(join(dataDir, 'users.conf'), users);
  const program = options.natsServer;
  const nats = createNatsServer({ dataDir, config, passwords: natsPasswords(secrets), program });
  if (options.natsUrl === undefined) await nats.start();
  const natsUrl = options.natsUrl ?? nats.url();
  const addresses = { adminUrl, natsUrl, secrets };
  const keys = keysIn(dataDir);
  const common: Env = { LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn', CHECK_REPLIES: 'true', ...options.env };
  const envFor = (service: ServiceName): Env => ({ ...serviceEnv(service, addresses), DATABASE_POOL: '6', ...common });
  const overrides = options.clock === undefined ? {} : { clock: options.clock };
  const startOne = (service: ServiceName): Promise<RunningService> => starters[service](envFor(service), overrides);
  const services = options.services ?? SERVICES;
  const [stopPublishing, ...running] = await Promise.all([
    services.includes('clazz')
      ? async () => {}
      : publishRevocations(natsUrl, secrets.nats.clazz, options.revocations ?? (() => [])),
    ...services.map(startOne),
  ]);
  const gateway = await startGateway({
    ...gatewayEnv(addresses, keys),
    RATE_LIMIT: '1000000',
    FAILURE_LIMIT: '1000000',
    ...common,
  });
  const admin = new pg.Pool({ connectionString: adminUrl, max: 2 });
  const sql: Fixture['sql'] = async <R extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await admin.query<R>(text, values)).rows;
  const org = randomUUID();
  const token = ({ role, org: tokenOrg = org, sub, ttlSeconds = 3_600, ...claims }: Person): string => {
    const roles = typeof role === 'string' ? [role] : role;
    return issueToken(keys, {
      org: tokenOrg,
      sub: sub ?? `${roles[0]?.toLowerCase()}-1`,
      roles,
      ttlSeconds,
      ...claims,
    });
  };
  return {
    org,
    address: gateway.address,
    adminUrl,
    keys,
    token,
    as: (person) => createApi(gateway.address, `Bearer ${token(person)}`, againstDocument),
    raw: (authorization) => createApi(gateway.address, authorization, againstDocument),
    envFor,
    startService: async (service) => {
      const one = await startOne(service);
      running.push(one);
      return one;
    },
    sql,
    logged: logLines,
    events: eventLogOf(sql),
    nats: { ...nats, url: natsUrl },
    stop: async () => {
      await gateway.stop();
      await Promise.all([stopPublishing(), ...running.map((one) => one.stop())]);
      await admin.end();
      await nats.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
