import { type EntityManager, type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** Kysely on one checked-out connection: whatever it runs is part of that connection's transaction. */
const onConnection = (client: PostgresPoolClient): Kysely<unknown> =>
  new Kysely({
    dialect: new PostgresDialect({ pool: { connect: async () => client, end: async () => {}, options: {} } }),
  });

/** The ORM never picks a connection itself: a query outside a session has no tenant, so it fails. */
const refusing: PostgresPool = {
  connect: () => Promise.reject(new Error('entities are used inside a session only')),
  end: async () => {},
  options: {},
};

export interface Orm {
  /** A fresh identity map inside the transaction that runs on `client`. */
  on(client: pg.PoolClient): EntityManager;
}

export const createOrm = (entities: readonly EntitySchema[]): Orm => {
  const orm = new MikroORM({
    entities: [...entities],
    discovery: { warnWhenNoEntities: false },
    dbName: 'session',
    driverOptions: new Kysely({ dialect: new PostgresDialect({ pool: refusing }) }),
    allowGlobalContext: false,
    ensureDatabase: false,
    forceUtcTimezone: true,
  });
  const borrowed = new WeakMap<pg.PoolClient, Kysely<unknown>>();
  return {
    on: (client) => {
      let kysely = borrowed.get(client);
      if (kysely === undefined) {
        const facade = { query: client.query.bind(client), release: () => {} };
        borrowed.set(client, (kysely = onConnection(facade)));
      }
      const em = orm.em.fork();
      em.setTransactionContext(kysely);
      return em;
    },
  };
};
