import { setTimeout } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, p } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { TroubleTeller } from '../telemetry/trouble-teller.ts';
import { type Address, addressOf, withEachPassword } from './address.ts';
import { DatabaseClient, LIMITS } from './client.ts';
import { connectionOptions } from './pool.ts';
import { guardTables } from './organization-end.ts';
import { rows } from './rows.ts';
import { machineryMigrations, type MigrationEntry } from './schema.ts';
import { always } from './shape.ts';
import { statement } from './statement.ts';
import { watch } from './watch.ts';

const TRY_LOCK = statement('select pg_try_advisory_lock(hashtextextended($1, 11)) as is_mine', {
  is_mine: always(p.boolean()),
});
const TRY_MS = 250;

/** Asked for again and again: a statement that waited would look like one that nobody answers. */
const lockFor = async (client: DatabaseClient, what: string): Promise<void> => {
  for (;;) {
    const [lock] = await rows(client, TRY_LOCK, what);
    if (lock?.is_mine === true) return;
    await setTimeout(TRY_MS);
  }
};

const PAUSE_MS = 1_000;
const SAY_MS = 5_000;

/** For a database that may come later: who is told that it is waited for, and what ends the waiting. */
interface Waiting {
  log: Logger;
  stop: AbortSignal;
}

const connected = (address: Address, service: string): Promise<DatabaseClient> =>
  withEachPassword(address, async () => {
    const client = new DatabaseClient(connectionOptions(address, `${service} migration`));
    watch(client);
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  });

const connectedAtLast = async (address: Address, service: string, { log, stop }: Waiting): Promise<DatabaseClient> => {
  const teller = new TroubleTeller(
    log,
    `waiting for the database at ${new URL(addressOf(address).url).host} to migrate it`,
    SAY_MS,
  );
  for (;;) {
    stop.throwIfAborted();
    try {
      const client = await connected(address, service);
      teller.over();
      return client;
    } catch (error) {
      teller.tell(error);
    }
    await wait(PAUSE_MS, stop);
  }
};

/**
 * Brings a service's schema up to date as its owner; safe when several instances start at once. Without `waiting` it
 * rejects when the database is not there.
 */
export const migrate = async (
  given: Address,
  service: string,
  migrations: readonly MigrationEntry[],
  waiting?: Waiting,
): Promise<number> => {
  const address = addressOf(given);
  const lock = await (waiting === undefined ? connected(address, service) : connectedAtLast(address, service, waiting));
  const orm = new MikroORM({
    clientUrl: address.url,
    driverOptions: { ...LIMITS, ...address.next().options },
    entities: [],
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: {
      migrationsList: [...machineryMigrations(service), ...migrations],
      tableName: 'schema_migration',
      schema: service,
      snapshot: false,
      silent: true,
    },
  });
  try {
    await lockFor(lock, `migrate ${service}`);
    const applied = await orm.migrator.up();
    await guardTables(lock, service);
    // Every instance looks whether the schema has what its code needs.
    await lock.query(`grant select on ${service}.schema_migration to ${service}_app, ${service}_worker`);
    return applied.length;
  } finally {
    await orm.close();
    await lock.end();
  }
};
