import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, p } from '@mikro-orm/postgresql';
import pg from 'pg';
import { rows } from './rows.ts';
import { machineryMigrations, type MigrationEntry } from './schema.ts';
import { always } from './shape.ts';
import { statement } from './statement.ts';

const LOCK = statement('select true as is_mine from pg_advisory_lock(hashtextextended($1, 11))', {
  is_mine: always(p.boolean()),
});

/** Brings a service's schema up to date as its owner; safe when several instances start at once. */
export const migrate = async (url: string, service: string, migrations: readonly MigrationEntry[]): Promise<number> => {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  const orm = new MikroORM({
    clientUrl: url,
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
    await rows(lock, LOCK, `migrate ${service}`);
    const applied = await orm.migrator.up();
    // Every instance looks whether the schema has what its code needs.
    await lock.query(`grant select on ${service}.schema_migration to ${service}_app, ${service}_worker`);
    return applied.length;
  } finally {
    await orm.close();
    await lock.end();
  }
};
