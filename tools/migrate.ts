import type { z } from 'zod';
import { SERVICES, type ServiceName } from '../libs/contracts/src/registry.ts';
import { adminAddress } from '../libs/kit/src/ops/broker-variables.ts';
import { type Env, readConfig } from '../libs/kit/src/ops/config.ts';
import { printStartError } from '../libs/kit/src/ops/print-start-error.ts';
import { tolerateOutputErrors } from '../libs/kit/src/telemetry/output-errors.ts';
import { migrate } from '../libs/kit/src/db/migrate.ts';
import { checkBeforeMigration } from '../libs/kit/src/db/stopped-instances.ts';
import { carryOver } from './operators/migrate/carry-over.ts';
import { migrateConfig } from './operators/migrate/config.ts';
import { ensureDatabase, provision, provisionBackup, withLogin, withPassword } from './operators/migrate/provision.ts';
import type { App } from '../libs/kit/src/ops/app.ts';
import { app as clazz } from '../services/clazz/src/app.ts';
import { app as course } from '../services/course/src/app.ts';
import { app as packages } from '../services/package/src/app.ts';
import { app as stats } from '../services/stats/src/app.ts';
import { type Prepared, prepareStreams } from './operators/streams/prepare.ts';

// Gives every service its schema, its roles and its migrations. Run it before the services of a new version
// start; run again, it renews the passwords and applies what is pending. Of several passwords of a role (one a line, as
// its service takes them while they are exchanged) the role gets the first.

/** The services that have a schema. */
export const APPS: Readonly<Record<ServiceName, App>> = { clazz, course, package: packages, stats };

type Config = z.output<typeof migrateConfig>;

/** Receives each line of output. */
type Say = (line: string) => void;

/** Number of applied migrations and of copied people, and the changes of streams if a broker was named. */
export interface Migrated {
  applied: Partial<Record<ServiceName, number>>;
  carried: number;
  streams: Prepared | null;
}

const prepare = async (config: Config, adminUrl: string, service: ServiceName, say: Say): Promise<number> => {
  const prefix = service.toUpperCase() as Uppercase<ServiceName>;
  const first = (role: 'OWNER' | 'APP' | 'WORKER'): string => config[`${prefix}_${role}_PASSWORD`]()[0] ?? '';
  const owner = first('OWNER');
  await provision({ adminUrl, service, passwords: { owner, app: first('APP'), worker: first('WORKER') } });
  const count = await migrate(withLogin(adminUrl, `${service}_owner`, owner), service, APPS[service].migrations, {
    report: (line) => say(`${service}: ${line}`),
  });
  say(`${service}: ${count === 0 ? 'up to date' : `${count} migrations applied`}`);
  return count;
};

const streams = async (config: Config, say: Say): Promise<Prepared | null> => {
  const { NATS_URL, NATS_ADMIN_PASSWORD, NATS_ADMIN_NKEY_SEED, NATS_ADMIN_CREDS } = config;
  const login = NATS_ADMIN_PASSWORD ?? NATS_ADMIN_NKEY_SEED ?? NATS_ADMIN_CREDS;
  if (NATS_URL === undefined || login === undefined) return null;
  const limits = { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES };
  const done = await prepareStreams(adminAddress({ ...config, NATS_URL }), limits);
  for (const [what, names] of Object.entries(done)) if (names.length > 0) say(`streams ${what}: ${names.join(', ')}`);
  return done;
};

/** Prepares everything that the variables of `env` name. */
export const migrateAll = async (env: Env, say: Say): Promise<Migrated> => {
  const config = readConfig(migrateConfig, env);
  const url = withPassword(config.DATABASE_ADMIN_URL(), config.DATABASE_ADMIN_PASSWORD?.()[0]);
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const adminUrl = await ensureDatabase(url, name);
  // Of all before the first is touched: even its rights are others afterwards.
  for (const service of SERVICES)
    await checkBeforeMigration(
      adminUrl,
      service,
      APPS[service].migrations.map(({ name }) => name),
    );
  const applied: Migrated['applied'] = {};
  for (const service of SERVICES) applied[service] = await prepare(config, adminUrl, service, say);
  const [backup] = config.BACKUP_PASSWORD?.() ?? [];
  if (backup !== undefined) await provisionBackup(adminUrl, backup);
  const carried = await carryOver(adminUrl);
  if (carried > 0) say(`${carried} people carried over to the directory`);
  return { applied, carried, streams: await streams(config, say) };
};

if (import.meta.main) {
  // Services start after it: it must not fail because of its output.
  tolerateOutputErrors();
  await migrateAll(process.env, console.log).catch((error: unknown) => {
    printStartError('cannot migrate', error, process.env);
    process.exitCode = 1;
  });
}
