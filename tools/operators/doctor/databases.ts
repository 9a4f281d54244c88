import { DatabaseAddress } from '../../../libs/kit/src/db/address.ts';
import { SharedSessionError, requireSessionPooling } from '../../../libs/kit/src/db/session-pooling.ts';
import { commonMigrations } from '../../../libs/kit/src/db/schema.ts';
import { schemaState, someNames } from '../../../libs/kit/src/ops/schema-state.ts';
import { connectionsOf } from '../../../libs/kit/src/ops/instance-parts.ts';
import { APPS } from '../../migrate.ts';
import { type DatabaseLogin, type Facts, readFacts } from './database-login.ts';
import type { Finding } from './findings.ts';
import type { Configs, Installation, ReadService } from './installation.ts';

/** Seconds by which clocks may differ: several machines judge tokens and write times of records. */
const MOST_SKEW_S = 5;

const loginsOf = ({ name: service, config }: ReadService): DatabaseLogin[] => {
  const { MIGRATION_DATABASE_URL: owner } = config;
  return [
    {
      service,
      kind: 'app',
      variable: 'DATABASE_URL',
      address: new DatabaseAddress(config.DATABASE_URL, config.DATABASE_PASSWORD),
    },
    {
      service,
      kind: 'worker',
      variable: 'WORKER_DATABASE_URL',
      address: new DatabaseAddress(config.WORKER_DATABASE_URL, config.WORKER_DATABASE_PASSWORD),
    },
    ...(owner === undefined
      ? []
      : [
          {
            service,
            kind: 'owner' as const,
            variable: 'MIGRATION_DATABASE_URL',
            address: new DatabaseAddress(owner, config.MIGRATION_DATABASE_PASSWORD),
          },
        ]),
  ];
};

const roleFindings = ({ service, kind, variable }: DatabaseLogin, { role, has_more, owns }: Facts): Finding[] => {
  const [about, wanted] = [[service], `${service}_${kind}`];
  if (role !== wanted)
    return [
      {
        check: 'role',
        about,
        wrong: `${variable} logs in as ${role}, not as ${wanted}`,
        mend: `give ${variable} the login of ${wanted}`,
      },
    ];
  if (has_more) {
    const wrong = `${role} bypasses row-level security, which separates organizations`;
    return [{ check: 'role', about, wrong, mend: 'run migrate as a superuser, which takes that from it' }];
  }
  if (kind === 'owner' || owns === null) return [];
  const wrong = `${role} owns ${service}.${owns}, or is a member of its owner: it could disable row-level security`;
  const mend = `alter table ${service}.${owns} owner to ${service}_owner, or revoke ${service}_owner from ${role}`;
  return [{ check: 'role', about, wrong, mend }];
};

const schemaFindings = ({ service }: DatabaseLogin, facts: Facts): Finding[] => {
  const about = [service];
  if (facts.may_use === false || facts.may_read === false)
    return [
      {
        check: 'rights',
        about,
        wrong: `${facts.role} may not use the schema ${service}`,
        mend: 'run migrate, which grants the rights again',
      },
    ];
  const wanted = [...commonMigrations(service), ...APPS[service].migrations].map((migration) => migration.name);
  const { missing, unknown } = schemaState(facts.applied, wanted);
  if (missing.length > 0)
    return [
      { check: 'migrations', about, wrong: `the schema ${service} lacks ${someNames(missing)}`, mend: 'run migrate' },
    ];
  if (unknown.length === 0) return [];
  const wrong = `the schema ${service} is newer than this code: it has ${someNames(unknown)}`;
  return [{ check: 'migrations', about, wrong, mend: 'run the newer version; this one works as long as it can' }];
};

const versionFindings = ({ service }: DatabaseLogin, { version }: Facts, oldest: number): Finding[] => {
  if (version >= oldest * 10_000) return [];
  return [
    {
      check: 'postgres-version',
      about: [service],
      wrong: `Postgres is ${Math.floor(version / 10_000)}, but must be ${oldest} or newer`,
      mend: 'upgrade Postgres',
    },
  ];
};

interface Looked {
  login: DatabaseLogin;
  facts: Facts;
}

/** Each measurement is a lower bound, so the largest one is the best. */
const clockFindings = (looked: readonly Looked[]): Finding[] => {
  const skew = Math.round(Math.max(0, ...looked.map(({ facts }) => facts.skew_s)));
  if (skew <= MOST_SKEW_S) return [];
  return [
    {
      check: 'clock',
      about: ['machine'],
      wrong: `the clocks of Postgres and of this machine differ by ${skew >= 60 ? 'minutes or more' : `${skew} s`}`,
      mend: 'synchronize both clocks by NTP',
    },
  ];
};

/** Services on one server share its connections. */
const roomFindings = (looked: readonly Looked[], { services }: Configs, copies: number): Finding[] => {
  const known = new Map(looked.map(({ login, facts }) => [login.service, facts]));
  const servers = Map.groupBy(services, ({ config }) => new URL(config.DATABASE_URL()).host);
  return [...servers.values()].flatMap((together) => {
    const room = together.map(({ name }) => known.get(name)?.room).find((one) => one !== undefined);
    const needed = copies * together.reduce((sum, { config }) => sum + connectionsOf(config), 0);
    if (room === undefined || needed <= room) return [];
    return [
      {
        check: 'connections' as const,
        about: together.map(({ name }) => name),
        wrong: `services open up to ${needed} connections with ${copies} instances of each, but Postgres accepts ${room}`,
        mend: `raise max_connections to ${needed + 20} at least, or lower DATABASE_POOL and DATABASE_LANES`,
      },
    ];
  });
};

/** A pooler must keep one server session for each connection. */
const sessionFindings = async ({ service, address }: DatabaseLogin): Promise<Finding[]> => {
  try {
    await requireSessionPooling(address);
    return [];
  } catch (error) {
    if (!(error instanceof SharedSessionError)) throw error;
    const wrong = 'the pooler between the service and Postgres shares sessions (a pool_mode other than session)';
    return [
      { check: 'sessions', about: [service], wrong, mend: 'set pool_mode = session, or connect to Postgres itself' },
    ];
  }
};

/** Examines Postgres as each service sees it with each of its logins. */
export const databases = async (configs: Configs, installation: Installation): Promise<Finding[]> => {
  const findings: Finding[] = [];
  const looked: Looked[] = [];
  const look = async (login: DatabaseLogin): Promise<void> => {
    const found = await readFacts(login, installation.clock);
    if ('check' in found) return void findings.push(found);
    const wrongRole = roleFindings(login, found);
    findings.push(...wrongRole, ...versionFindings(login, found, installation.oldest.postgres));
    if (wrongRole.length === 0) findings.push(...schemaFindings(login, found));
    looked.push({ login, facts: found });
    if (login.kind !== 'owner') findings.push(...(await sessionFindings(login)));
  };
  await Promise.all(configs.services.flatMap(loginsOf).map(look));
  return [...findings, ...clockFindings(looked), ...roomFindings(looked, configs, installation.copies)];
};
