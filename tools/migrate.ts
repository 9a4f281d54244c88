import { z } from 'zod';
import { SERVICES, type ServiceName } from '../libs/contracts/src/registry.ts';
import { ConfigError, readConfig } from '../libs/kit/src/ops/config.ts';
import { migrate } from '../libs/kit/src/db/migrate.ts';
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

const Password = z.string().min(12);
/** A superuser's address (the path names the database, made if missing), and a password for each role. */
const Config = z.object({
  DATABASE_ADMIN_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  CLAZZ_OWNER_PASSWORD: Password,
  CLAZZ_APP_PASSWORD: Password,
  CLAZZ_WORKER_PASSWORD: Password,
  COURSE_OWNER_PASSWORD: Password,
  COURSE_APP_PASSWORD: Password,
  COURSE_WORKER_PASSWORD: Password,
  PACKAGE_OWNER_PASSWORD: Password,
  PACKAGE_APP_PASSWORD: Password,
  PACKAGE_WORKER_PASSWORD: Password,
  STATS_OWNER_PASSWORD: Password,
  STATS_APP_PASSWORD: Password,
  STATS_WORKER_PASSWORD: Password,
  /** With both, the streams are brought to the limits below, too. */
  NATS_URL: z.string().optional(),
  NATS_ADMIN_PASSWORD: z.string().optional(),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  STREAM_MAX_BYTES: z.coerce.number().int().min(1_000_000).default(1_000_000_000),
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
  const name = decodeURIComponent(new URL(config.DATABASE_ADMIN_URL).pathname.slice(1)) || 'postgres';
  const adminUrl = await ensureDatabase(config.DATABASE_ADMIN_URL, name);
  for (const service of SERVICES) await prepare(config, adminUrl, service);
  await streams(config);
};

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
