import type { z } from 'zod';
import { SERVICES, type ServiceName } from '../libs/contracts/src/registry.ts';
import { adminAddress } from '../libs/kit/src/ops/broker-variables.ts';
import { readConfig } from '../libs/kit/src/ops/config.ts';
import { sayWhyNot } from '../libs/kit/src/ops/say-why-not.ts';
import { migrate } from '../libs/kit/src/db/migrate.ts';
import { carryOver } from './migrate/carry-over.ts';
import { migrateConfig } from './migrate/config.ts';
import { ensureDatabase, provision, provisionBackup, withLogin, withPassword } from './migrate/provision.ts';
import type { App } from '../libs/kit/src/ops/app.ts';
import { app as clazz } from '../services/clazz/src/app.ts';
import { app as course } from '../services/course/src/app.ts';
import { app as packages } from '../services/package/src/app.ts';
import { app as stats } from '../services/stats/src/app.ts';
import { prepareStreams } from './streams/prepare.ts';

// Gives every service its schema, its roles and its migrations. Run it before the services of a new version
// start; run again, it renews the passwords and applies what is pending. Of several passwords of a role (one a line, as
// its service takes them while they are exchanged) the role gets the first.

const APPS: Record<ServiceName, App> = { clazz, course, package: packages, stats };

type Config = z.output<typeof migrateConfig>;

const prepare = async (config: Config, adminUrl: string, service: ServiceName): Promise<void> => {
  const prefix = service.toUpperCase() as Uppercase<ServiceName>;
  const first = (role: 'OWNER' | 'APP' | 'WORKER'): string => config[`${prefix}_${role}_PASSWORD`]()[0] ?? '';
  const owner = first('OWNER');
  await provision({ adminUrl, service, passwords: { owner, app: first('APP'), worker: first('WORKER') } });
  const count = await migrate(withLogin(adminUrl, `${service}_owner`, owner), service, APPS[service].migrations);
  console.log(`${service}: ${count === 0 ? 'up to date' : `${count} migrations applied`}`);
};

const streams = async (config: Config): Promise<void> => {
  const { NATS_URL, NATS_ADMIN_PASSWORD, NATS_ADMIN_NKEY_SEED, NATS_ADMIN_CREDS } = config;
  const login = NATS_ADMIN_PASSWORD ?? NATS_ADMIN_NKEY_SEED ?? NATS_ADMIN_CREDS;
  if (NATS_URL === undefined || login === undefined) return;
  const limits = { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES };
  const done = await prepareStreams(adminAddress({ ...config, NATS_URL }), limits);
  for (const [what, names] of Object.entries(done))
    if (names.length > 0) console.log(`streams ${what}: ${names.join(', ')}`);
};

const main = async (): Promise<void> => {
  const config = readConfig(migrateConfig, process.env);
  const url = withPassword(config.DATABASE_ADMIN_URL(), config.DATABASE_ADMIN_PASSWORD?.()[0]);
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const adminUrl = await ensureDatabase(url, name);
  for (const service of SERVICES) await prepare(config, adminUrl, service);
  const [backup] = config.BACKUP_PASSWORD?.() ?? [];
  if (backup !== undefined) await provisionBackup(adminUrl, backup);
  const carried = await carryOver(adminUrl);
  if (carried > 0) console.log(`${carried} people carried over to the directory`);
  await streams(config);
};

main().catch((error: unknown) => {
  sayWhyNot('cannot migrate', error, process.env);
  process.exitCode = 1;
});
