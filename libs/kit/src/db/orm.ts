import { type EntityManager, type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';

/** Runs one statement on the session's own connection. */
type Run = (text: string, params: readonly unknown[]) => Promise<pg.QueryResult>;

/** Kysely over that connection: whatever the ORM runs is part of the session's transaction. */
const kyselyOver = (run: Run): Kysely<unknown> => {
  const client = { query: run, release: () => {} };
  const pool = { connect: async () => client, end: async () => {}, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
};

/** The ORM never picks a connection itself: a query outside a session has no tenant, so it fails. */
const refusing: PostgresPool = {
  connect: () => Promise.reject(new Error('entities are used inside a session only')),
  end: async () => {},
  options: {},
};

export interface Orm {
  /** A fresh identity map whose statements all go through `run`. */
  over(run: Run): EntityManager;
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
  return {
    over: (run) => {
      const em = orm.em.fork();
      em.setTransactionContext(kyselyOver(run));
      return em;
    },
  };
};
