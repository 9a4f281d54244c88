import { z } from 'zod';
import { SERVICES, type ServiceName } from '../libs/contracts/src/registry.ts';
import { readConfig, streamConfig } from '../libs/kit/src/ops/config.ts';
import { sayWhyNot } from '../libs/kit/src/ops/say-why-not.ts';
import { brokers, postgresUrl, secret, text } from '../libs/kit/src/ops/variables.ts';
import { migrate } from '../libs/kit/src/db/migrate.ts';
import { carryOver } from './migrate/carry-over.ts';
import { ensureDatabase, provision, withLogin } from './migrate/provision.ts';
import type { App } from '../libs/kit/src/ops/app.ts';
import { app as clazz } from '../services/clazz/src/app.ts';
import { app as course } from '../services/course/src/app.ts';
import { app as packages } from '../services/package/src/app.ts';
import { app as stats } from '../services/stats/src/app.ts';
import { prepareStreams } from './streams/prepare.ts';

// Gives every service its schema, its roles and its migrations. Run it before the services of a new version
// start; run again, it renews the passwords and applies what is pending.

const APPS: Record<ServiceName, App> = { clazz, course, package: packages, stats };

const password = (service: ServiceName, role: string) => secret(`the password of ${service}_${role}`, 12);
const Config = z.object({
  /** The database is made if it is missing. */
  DATABASE_ADMIN_URL: postgresUrl('the database to prepare, as a superuser', 'postgres://postgres:…@db:5432/teaching'),
  CLAZZ_OWNER_PASSWORD: password('clazz', 'owner'),
  CLAZZ_APP_PASSWORD: password('clazz', 'app'),
  CLAZZ_WORKER_PASSWORD: password('clazz', 'worker'),
  COURSE_OWNER_PASSWORD: password('course', 'owner'),
  COURSE_APP_PASSWORD: password('course', 'app'),
  COURSE_WORKER_PASSWORD: password('course', 'worker'),
  PACKAGE_OWNER_PASSWORD: password('package', 'owner'),
  PACKAGE_APP_PASSWORD: password('package', 'app'),
  PACKAGE_WORKER_PASSWORD: password('package', 'worker'),
  STATS_OWNER_PASSWORD: password('stats', 'owner'),
  STATS_APP_PASSWORD: password('stats', 'app'),
  STATS_WORKER_PASSWORD: password('stats', 'worker'),
  /** With both, the streams are brought to the limits below, too. */
  NATS_URL: brokers("the broker's address").optional(),
  NATS_ADMIN_PASSWORD: text("the password of the broker's admin").optional(),
  ...streamConfig,
});
type Config = z.output<typeof Config>;

const prepare = async (config: Config, adminUrl: string, service: ServiceName): Promise<void> => {
  const prefix = service.toUpperCase() as Uppercase<ServiceName>;
  const owner = config[`${prefix}_OWNER_PASSWORD`];
  const passwords = { owner, app: config[`${prefix}_APP_PASSWORD`], worker: config[`${prefix}_WORKER_PASSWORD`] };
  await provision({ adminUrl, service, passwords });
  const count = await migrate(withLogin(adminUrl, `${service}_owner`, owner), service, APPS[service].migrations);
  console.log(`${service}: ${count === 0 ? 'up to date' : `${count} migrations applied`}`);
};

const streams = async (config: Config): Promise<void> => {
  const { NATS_URL: url, NATS_ADMIN_PASSWORD: password } = config;
  if (url === undefined || password === undefined) return;
  const limits = { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES };
  const done = await prepareStreams({ url, password }, limits);
  for (const [what, names] of Object.entries(done))
    if (names.length > 0) console.log(`streams ${what}: ${names.join(', ')}`);
};

const main = async (): Promise<void> => {
  const config = readConfig(Config, process.env);
  const name = decodeURIComponent(new URL(config.DATABASE_ADMIN_URL).pathname.slice(1));
  const adminUrl = await ensureDatabase(config.DATABASE_ADMIN_URL, name);
  for (const service of SERVICES) await prepare(config, adminUrl, service);
  const carried = await carryOver(adminUrl);
  if (carried > 0) console.log(`${carried} people carried over to the directory`);
  await streams(config);
};

main().catch((error: unknown) => {
  sayWhyNot('cannot migrate', error, process.env);
  process.exitCode = 1;
});
