import { setTimeout } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, p } from '@mikro-orm/postgresql';
import { DatabaseClient, LIMITS } from './client.ts';
import { connectionOptions } from './pool.ts';
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

/** Brings a service's schema up to date as its owner; safe when several instances start at once. */
export const migrate = async (url: string, service: string, migrations: readonly MigrationEntry[]): Promise<number> => {
  const lock = new DatabaseClient(connectionOptions(url, `${service} migration`));
  watch(lock);
  await lock.connect();
  const orm = new MikroORM({
    clientUrl: url,
    driverOptions: LIMITS,
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
    return (await orm.migrator.up()).length;
  } finally {
    await orm.close();
    await lock.end();
  }
};
