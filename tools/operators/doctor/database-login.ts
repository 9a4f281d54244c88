import { z } from 'zod';
import type { ServiceName } from '../../../libs/contracts/src/registry.ts';
import { type DatabaseAddress, withEachPassword } from '../../../libs/kit/src/db/address.ts';
import { DatabaseClient } from '../../../libs/kit/src/db/database-client.ts';
import { databaseFault } from '../../../libs/kit/src/db/database-fault.ts';
import { connectionOptions } from '../../../libs/kit/src/db/pool.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import type { Finding } from './findings.ts';

/** One of a service's logins. */
export interface DatabaseLogin {
  service: ServiceName;
  kind: 'app' | 'worker' | 'owner';
  /** The variable with its URL. */
  variable: string;
  address: DatabaseAddress;
}

const Facts = z.object({
  role: z.string(),
  has_more: z.boolean(),
  /** A table of its schema that the role owns or may come to own; `null`: none. */
  owns: z.string().nullable(),
  version: z.number(),
  /** Connections available to roles that are no superuser. */
  room: z.number(),
  now: z.coerce.date(),
  /** `null`: the schema, or its table of migrations, does not exist. */
  may_use: z.boolean().nullable(),
  may_read: z.boolean().nullable(),
});
/** What a login sees of its server and schema. */
export interface Facts extends z.output<typeof Facts> {
  /** Applied migrations of the schema; none if it does not exist. */
  applied: readonly string[];
  /** Seconds by which the server's clock differs from this machine's, at least: the transfer time is unknown. */
  skew_s: number;
}

const LOOK = `
  select current_user as role, r.rolsuper or r.rolbypassrls as has_more,
    current_setting('server_version_num')::int as version, clock_timestamp() as now,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as room,
    (select relname from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p')
      and pg_has_role(r.oid, relowner, 'member') order by 1 limit 1) as owns,
    has_schema_privilege(to_regnamespace($1), 'usage') as may_use,
    has_table_privilege((select oid from pg_class
      where relnamespace = to_regnamespace($1) and relname = 'schema_migration'), 'select') as may_read
  from pg_roles r where r.rolname = current_user`;

const factsOf = async (client: DatabaseClient, schema: string, clock: () => Date): Promise<Facts> => {
  const asked = clock();
  const { rows: seen } = await client.query(LOOK, [schema]);
  const answered = clock();
  const told = Facts.parse(seen[0]);
  const skew_ms = Math.max(0, asked.getTime() - told.now.getTime(), told.now.getTime() - answered.getTime());
  const facts = { ...told, skew_s: skew_ms / 1_000 };
  if (facts.may_use !== true || facts.may_read !== true) return { ...facts, applied: [] };
  const table = `${client.escapeIdentifier(schema)}.schema_migration`;
  const { rows } = await client.query<{ name: string }>(`select name from ${table}`);
  return { ...facts, applied: rows.map(({ name }) => name) };
};

const TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** The address, without a password. */
const whereOf = (url: URL): string => `${decodeURIComponent(url.hostname)}:${url.port || '5432'}`;

interface Refused {
  where: string;
  database: string;
  user: string;
  variable: string;
  reason: string;
}
type Told = Omit<Finding, 'about'>;

/** By SQLSTATE: why Postgres refuses a login. */
const REFUSALS: Readonly<Record<string, (refused: Refused) => Told>> = {
  '3D000': ({ database, where }) => ({
    check: 'database',
    wrong: `there is no database ${database} at ${where}`,
    mend: 'run migrate, which creates it, or correct the name in the URLs',
  }),
  '28P01': ({ user, variable }) => ({
    check: 'password',
    wrong: `Postgres refuses the password of ${user} (${variable})`,
    mend: `give the process the password that migrate gave ${user}, or run migrate with this one`,
  }),
  '28000': ({ user, variable, reason }) => ({
    check: 'password',
    wrong: `Postgres does not let ${user} in (${variable}): ${reason}`,
    mend: 'run migrate, which makes the role, or let it in from here in pg_hba.conf',
  }),
  '53300': ({ where }) => ({
    check: 'connections',
    wrong: `Postgres at ${where} has no connection left`,
    mend: 'raise max_connections, or lower DATABASE_POOL and DATABASE_LANES',
  }),
};

const noTls = ({ where, reason, variable }: Refused): Told => ({
  check: 'postgres-tls',
  wrong: `no TLS with Postgres at ${where}: ${reason}`,
  mend: `correct sslmode and sslrootcert in ${variable}, or the certificate of the server (docs/secrets.md)`,
});
const unreachable = ({ where, reason }: Refused): Told => ({
  check: 'postgres',
  wrong: `Postgres at ${where} cannot be reached: ${reason}`,
  mend: 'start it, correct host and port in the URLs, or open the network path',
});

/** The finding for a refused login. */
const refusalOf = ({ service, variable, address }: DatabaseLogin, error: unknown): Finding => {
  const url = new URL(address.url);
  const reason = reasonOf(error);
  const isTls = TLS.test(codeOf(error)) || /\b(SSL|TLS)\b/.test(reason);
  const tell = REFUSALS[databaseFault(error)?.code ?? ''] ?? (isTls ? noTls : unreachable);
  const refused = {
    where: whereOf(url),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    variable,
    reason,
  };
  return { about: [service], ...tell(refused) };
};

/** Logs in once, like the service, and reads the facts. */
export const readFacts = async (login: DatabaseLogin, clock: () => Date): Promise<Facts | Finding> => {
  try {
    return await withEachPassword(login.address, async () => {
      const client = new DatabaseClient(connectionOptions(login.address, 'doctor'));
      try {
        await client.connect();
        return await factsOf(client, login.service, clock);
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  } catch (error) {
    return refusalOf(login, error);
  }
};
