import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { addressOf } from '../../../libs/kit/src/db/address.ts';

/** Passwords of the three roles of one service. Roles belong to the whole cluster. */
export type RolePasswords = { owner: string; app: string; worker: string };

export type ProvisionOptions = {
  /** The URL of a superuser or of a role that may create roles. Its path names the database. */
  adminUrl: string;
  service: string;
  passwords: RolePasswords;
};

/** An arbitrary number that all provisioning processes share. */
const LOCK = 7_214_530_861;

const DUPLICATE_DATABASE = '42P04';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const connected = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client(addressOf(url).nextLogin().options);
  // A lost connection also fails the query in progress, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The same server and login, another database. */
export const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
};

/** The same server and database, another login. */
export const withLogin = (url: string, user: string, password: string): string => {
  const changed = new URL(url);
  changed.username = encodeURIComponent(user);
  changed.password = encodeURIComponent(password);
  return changed.href;
};

/** The same login with a password from beside the URL, if there is one. */
export const withPassword = (url: string, password: string | undefined): string =>
  password === undefined ? url : withLogin(url, decodeURIComponent(new URL(url).username), password);

/** Creates a database if it is missing. Returns its URL. */
export const ensureDatabase = async (adminUrl: string, name: string): Promise<string> => {
  await connected(withDatabase(adminUrl, 'postgres'), async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    await client.query(`create database ${escapeIdentifier(name)}`).catch((error: unknown) => {
      if (codeOf(error) !== DUPLICATE_DATABASE) throw error;
    });
  });
  return withDatabase(adminUrl, name);
};

/**
 * Keeps values of parameters (the first two) and rows out of the server's log. The message of an error may repeat input
 * (`invalid input syntax … "…"`); the service logs such errors without it, so the server does not log them again.
 */
const SILENT: readonly (readonly [setting: string, value: string])[] = [
  ['log_parameter_max_length', '0'],
  ['log_parameter_max_length_on_error', '0'],
  ['log_error_verbosity', 'terse'],
  ['log_min_messages', 'log'],
];

/** Only a superuser may revoke these attributes, so they are revoked only where a role has them. */
const withoutMore = (name: string): string => `
  if exists (select from pg_roles where rolname = ${escapeLiteral(name)}
             and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication)) then
    alter role ${escapeIdentifier(name)} nosuperuser nobypassrls nocreatedb nocreaterole noreplication;
  end if;`;

/** A role that is no superuser must be a member of the owner to create objects for it. */
const asMember = (name: string): string => `
  if not (pg_has_role(${escapeLiteral(name)}, 'usage') and pg_has_role(${escapeLiteral(name)}, 'set')) then
    grant ${escapeIdentifier(name)} to current_user with inherit true, set true;
  end if;`;

const role = (name: string, password: string, schema: string): string => `
  do $$ begin
    if not exists (select from pg_roles where rolname = ${escapeLiteral(name)}) then
      create role ${escapeIdentifier(name)};
    end if;
    ${withoutMore(name)}
  end $$;
  alter role ${escapeIdentifier(name)} login password ${escapeLiteral(password)};
  alter role ${escapeIdentifier(name)} set search_path = ${escapeIdentifier(schema)}, public;
  alter role ${escapeIdentifier(name)} set timezone = 'UTC';
  ${SILENT.map(([setting, value]) => `alter role ${escapeIdentifier(name)} set ${setting} = ${escapeLiteral(value)};`).join('\n  ')}`;

/** Functions that Postgres grants to everybody and that no request needs: they act beyond rows. */
const FOR_NOBODY = '^(pg_(try_)?advisory_|lo_|lo(read|write)$|pg_notify$|pg_logical_emit_message$)';
const LOCKS = `pg_advisory_xact_lock(bigint), pg_advisory_xact_lock_shared(bigint),
    pg_try_advisory_xact_lock(bigint), pg_try_advisory_lock(bigint)`;

/**
 * Rights on a database. A temporary table would stay in a session and be found before the schema's own tables by later requests;
 * an advisory lock blocks every session that uses the same number. The owner of a schema creates both for its users. Only a
 * superuser can revoke what Postgres grants to everybody.
 */
const closed = (service: string): string => `
  do $$ declare callable regprocedure; begin
    if not (select rolsuper from pg_roles where rolname = current_user) then return; end if;
    execute format('revoke temporary on database %I from public', current_database());
    execute format('grant temporary on database %I to ${service}_owner', current_database());
    for callable in select oid from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname ~ ${escapeLiteral(FOR_NOBODY)}
    loop execute format('revoke execute on function %s from public', callable); end loop;
    grant execute on function ${LOCKS} to ${service}_owner;
    grant execute on function pg_try_advisory_lock(bigint) to ${service}_worker;
  end $$;`;

/**
 * The request role (`_app`) and the role of relay, followers and jobs (`_worker`) own nothing and are bound by row-level
 * security. Migrations grant their rights on tables.
 */
const statements = (service: string, passwords: RolePasswords): string => {
  const [schema, owner, app, worker] = [service, `${service}_owner`, `${service}_app`, `${service}_worker`].map(
    escapeIdentifier,
  );
  return `
  do $$ begin
    if has_schema_privilege('public', 'public', 'create') then revoke create on schema public from public; end if;
  end $$;
  create extension if not exists btree_gist with schema public;
  create extension if not exists btree_gin with schema public;
  create extension if not exists pg_trgm with schema public;
  ${role(`${service}_owner`, passwords.owner, service)}
  ${role(`${service}_app`, passwords.app, service)}
  ${role(`${service}_worker`, passwords.worker, service)}
  do $$ begin ${asMember(`${service}_owner`)} end $$;
  create schema if not exists ${schema} authorization ${owner};
  alter schema ${schema} owner to ${owner};
  grant usage on schema ${schema} to ${app}, ${worker};
  ${closed(service)}`;
};

/**
 * Creates the schema of a service and its three roles (`<service>_owner`, `_app`, `_worker`). Repeated, it only sets the passwords.
 * All databases of the cluster share roles, and two transactions may not alter a role at once, so a lock serializes them. A lock
 * belongs to one database, so it is taken in `postgres`, which every cluster has.
 */
export const provision = async ({ adminUrl, service, passwords }: ProvisionOptions): Promise<void> => {
  await connected(withDatabase(adminUrl, 'postgres'), async (turn) => {
    await turn.query('select pg_advisory_lock($1)', [LOCK]);
    await connected(adminUrl, (client) => client.query(`begin; ${statements(service, passwords)} commit;`));
  });
};

const BACKUP_ROLE = 'teaching_backup';

/** Creates the role that backs up the cluster: it may copy all of it (`replication`), and owns and changes nothing. */
export const provisionBackup = async (adminUrl: string, password: string): Promise<void> => {
  await connected(withDatabase(adminUrl, 'postgres'), async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${BACKUP_ROLE}') then create role ${BACKUP_ROLE}; end if;
      end $$;
      alter role ${BACKUP_ROLE} login replication connection limit 8 password ${escapeLiteral(password)};`);
  });
};
