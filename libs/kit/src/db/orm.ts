import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { DatabaseAddress } from './address.ts';
import { CONNECTION_LIMITS } from './database-client.ts';
import type { TransactionalMigration } from './migration.ts';

const classOf = ({ sql, work }: TransactionalMigration) =>
  class extends Migration {
    override async up(): Promise<void> {
      if (work === undefined) return this.addSql(sql);
      await this.execute(sql);
      await work((text, params = []) => this.execute(text, [...params]));
    }
  };

/** MikroORM, which runs migrations. It takes 28 MB, so a process without pending migrations does not load it. */
export const createOrm = (
  address: DatabaseAddress,
  service: string,
  migrations: readonly TransactionalMigration[],
): MikroORM =>
  new MikroORM({
    clientUrl: address.url,
    driverOptions: { ...CONNECTION_LIMITS, ...address.nextLogin().options },
    entities: [],
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations.map((one) => ({ name: one.name, class: classOf(one) })),
      tableName: 'schema_migration',
      schema: service,
      snapshot: false,
      silent: true,
    },
  });
