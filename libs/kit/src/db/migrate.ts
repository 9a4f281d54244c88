import { setTimeout } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { FailureLog } from '../telemetry/failure-log.ts';
import { type Address, addressOf, type DatabaseAddress, withEachPassword } from './address.ts';
import { notNull, p } from './columns.ts';
import { watchConnection } from './connection-watchdog.ts';
import { DatabaseClient, CONNECTION_LIMITS, queryRows } from './database-client.ts';
import { databaseFault } from './database-fault.ts';
import {
  type StepwiseMigration,
  type TransactionalMigration,
  type MigrationEntry,
  requiresStoppedInstances,
} from './migration.ts';
import { connectionOptions } from './pool.ts';
import { addDeletionGuards } from './organization-deletion.ts';
import { commonMigrations } from './schema.ts';
import { requireStoppedInstances } from './stopped-instances.ts';
import { statement } from './statement.ts';

const TRY_LOCK = statement('select pg_try_advisory_lock(hashtextextended($1, 11)) as is_mine', {
  is_mine: notNull(p.boolean()),
});
const HAS_TABLE = statement('select to_regclass($1) is not null as is_there', { is_there: notNull(p.boolean()) });
const TRY_MS = 250;

/**
 * Tries again until the lock is free: a single waiting statement would look to the watchdog like one without an answer.
 */
const takeLock = async (client: DatabaseClient, what: string): Promise<void> => {
  for (;;) {
    const [lock] = await queryRows(client, TRY_LOCK, what);
    if (lock?.is_mine === true) return;
    await setTimeout(TRY_MS);
  }
};

const PAUSE_MS = 1_000;
const REPORT_MS = 5_000;

/** For a database that may start later: the log that reports the waiting, and the signal that ends it. */
interface Waiting {
  log: Logger;
  stop: AbortSignal;
}

const connect = (address: Address, service: string): Promise<DatabaseClient> =>
  withEachPassword(address, async () => {
    const client = new DatabaseClient(connectionOptions(address, `${service} migration`));
    watchConnection(client);
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  });

const connectWhenAvailable = async (
  address: Address,
  service: string,
  { log, stop }: Waiting,
): Promise<DatabaseClient> => {
  const failureLog = new FailureLog(
    log,
    `waiting for the database at ${new URL(addressOf(address).url).host} to migrate it`,
    REPORT_MS,
  );
  for (;;) {
    stop.throwIfAborted();
    try {
      const client = await connect(address, service);
      failureLog.logRecovery();
      return client;
    } catch (error) {
      failureLog.report(error);
    }
    await wait(PAUSE_MS, stop);
  }
};

interface Work {
  address: DatabaseAddress;
  service: string;
  orm: MikroORM;
  lock: DatabaseClient;
  report: (line: string) => void;
}

const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_MS = 1_000;
const MAX_TRIES = 60;

type Group = StepwiseMigration | TransactionalMigration[];

/** Consecutive transactional migrations share one transaction: all of them are applied, or none. */
const groupsOf = (pending: readonly MigrationEntry[]): Group[] =>
  pending.reduce<Group[]>((groups, one) => {
    const last = groups.at(-1);
    if ('steps' in one) groups.push(one);
    else if (Array.isArray(last)) last.push(one);
    else groups.push([one]);
    return groups;
  }, []);

/**
 * A statement that waits for its table lock blocks all later statements on the table. So it fails after a second, and
 * the group is repeated later. If all instances are stopped, it waits without a limit.
 */
const applyGroup = async ({ orm, report }: Work, group: readonly TransactionalMigration[]): Promise<void> => {
  const migrations = group.map(({ name }) => name);
  const wait = migrations.some(requiresStoppedInstances) ? 0 : LOCK_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await orm.em.fork().transactional(async (em) => {
        await em.execute(`set local lock_timeout = ${wait}`);
        await orm.migrator.up({ migrations, transaction: em.getTransactionContext() });
      });
    } catch (error) {
      if (databaseFault(error)?.code !== LOCK_NOT_AVAILABLE || tries >= MAX_TRIES) throw error;
      report(
        `${migrations.join(', ')}: a table lock is held by another transaction, trying again in ${LOCK_MS / 1_000} s`,
      );
      await setTimeout(LOCK_MS);
    }
  }
};

const applySteps = async (
  { address, service, lock, report }: Omit<Work, 'orm'>,
  { name, steps }: StepwiseMigration,
): Promise<void> => {
  const client = new Client({
    ...CONNECTION_LIMITS,
    application_name: `${service} migration`,
    ...address.nextLogin().options,
  });
  // A lost connection fails the current statement, which reports the reason.
  client.on('error', () => undefined);
  await client.connect();
  const readProgress = async (text: string) => (await lock.execute<{ at: string }>({ text })).rows;
  try {
    for (const step of steps) await step.run({ client, readProgress, report: (line) => report(`${name}: ${line}`) });
    await client.query('insert into schema_migration (name, executed_at) values ($1, now())', [name]);
  } finally {
    await client.end();
  }
};

/** The names of the applied migrations; none if the schema does not exist yet. */
const appliedIn = async (lock: DatabaseClient, service: string): Promise<Set<string>> => {
  const [found] = await queryRows(lock, HAS_TABLE, `${service}.schema_migration`);
  if (found?.is_there !== true) return new Set();
  const { rows: applied } = await lock.execute<{ name: string }>({
    text: `select name from ${service}.schema_migration`,
  });
  return new Set(applied.map(({ name }) => name));
};

const applyAll = async (
  work: Omit<Work, 'orm'>,
  all: readonly MigrationEntry[],
  pending: readonly MigrationEntry[],
) => {
  const { createOrm } = await import('./orm.ts');
  const orm = createOrm(
    work.address,
    work.service,
    all.flatMap((one) => ('steps' in one ? [] : [one])),
  );
  try {
    for (const group of groupsOf(pending))
      await (Array.isArray(group) ? applyGroup({ ...work, orm }, group) : applySteps(work, group));
  } finally {
    await orm.close();
  }
};

/** Options of `migrate`. */
export interface MigrationOptions {
  report?: (line: string) => void;
  /** If set, waits for a database that is not available yet. */
  waitForDatabase?: Waiting;
}

/**
 * Applies all pending migrations of a service as the owner of its schema. Returns their number. Several instances may
 * start at once. Rejects without `waitForDatabase` if the database is not available. Migrations that were applied stay
 * when a later one fails.
 */
export const migrate = async (
  database: Address,
  service: string,
  migrations: readonly MigrationEntry[],
  { report = () => {}, waitForDatabase }: MigrationOptions = {},
): Promise<number> => {
  const address = addressOf(database);
  const lock = await (waitForDatabase === undefined
    ? connect(address, service)
    : connectWhenAvailable(address, service, waitForDatabase));
  const all = [...commonMigrations(service), ...migrations];
  try {
    await takeLock(lock, `migrate ${service}`);
    const applied = await appliedIn(lock, service);
    const pending = all.filter(({ name }) => !applied.has(name));
    await requireStoppedInstances(
      lock,
      service,
      applied,
      pending.map(({ name }) => name),
    );
    if (pending.length > 0) await applyAll({ address, service, lock, report }, all, pending);
    await addDeletionGuards(lock, service);
    // Every instance checks whether the schema has the migrations that its code needs.
    await lock.execute({ text: `grant select on ${service}.schema_migration to ${service}_app, ${service}_worker` });
    return pending.length;
  } finally {
    await lock.end();
  }
};
