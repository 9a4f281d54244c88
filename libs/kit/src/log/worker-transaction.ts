import type { EventData, EventDef } from '@teaching/contracts';
import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import type { RowOf, Shape } from '../db/columns.ts';
import type { Statement } from '../db/statement.ts';
import { insertRows, type Table, type RowUpdate, updateRows, type StoredRow } from '../db/table.ts';
import type { Origin } from '../rpc/transactions.ts';
import { LogOutbox } from './outbox.ts';

/** A transaction of event processing or a job, over all orgs, with the worker role. */
export interface WorkerTransaction {
  now: Date;
  query: <R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P) => Promise<R[]>;
  run: <P extends readonly unknown[]>(what: Statement<unknown, P>, ...params: P) => void;
  /** Inserts rows without waiting for the answer. */
  insert: <S extends Shape>(table: Table<S>, ...rows: readonly StoredRow<Table<S>>[]) => void;
  /** Replaces rows by their keys without waiting for the answer. */
  update: <S extends Shape>(table: RowUpdate<S>, ...rows: readonly Readonly<RowOf<S>>[]) => void;
  emit<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void;
}

export interface WorkerDeps {
  pool: pg.Pool;
  clock: () => Date;
  onEvents: () => void;
  /** Compare every event with its contract; for development and tests. */
  checkEvents?: boolean;
}

/** Runs each piece of work in a short transaction of its own. */
export type RunInTransaction = <T>(work: (tx: WorkerTransaction) => Promise<T>) => Promise<T>;

/** Runs `work` in one transaction over all orgs. Commits when it returns; stores nothing when it throws. */
export const inWorkerTransaction = async <T>(
  deps: WorkerDeps,
  work: (tx: WorkerTransaction) => Promise<T>,
): Promise<T> => {
  const now = deps.clock();
  const outbox = new LogOutbox(now, deps.checkEvents);
  const connection = new Connection(deps.pool, 'all orgs', true);
  try {
    const result = await work({
      now,
      query: (what, ...params) => connection.query(what, params),
      run: (what, ...params) => connection.run(what, params),
      insert: (table, ...rows) => insertRows(connection, table, rows),
      update: (table, ...rows) => updateRows(connection, table, rows),
      emit: (origin, event, aggregate_id, data) => outbox.add(origin, event, aggregate_id, data),
    });
    outbox.write(connection);
    await connection.commit();
    if (outbox.count > 0) deps.onEvents();
    return result;
  } catch (error) {
    await connection.abandon();
    throw error;
  }
};

/** Runs one statement in a transaction of its own. */
export const storeAsWorker = async <P extends readonly unknown[]>(
  pool: pg.Pool,
  what: Statement<unknown, P>,
  ...params: P
): Promise<void> => {
  const connection = new Connection(pool, 'all orgs', true);
  connection.run(what, params);
  await connection.commit();
};

/** Reads over all orgs without a transaction. Statements of one turn of the event loop need one round trip. */
export const readAsWorker = async <T>(
  { pool }: Pick<WorkerDeps, 'pool'>,
  read: (on: Pick<WorkerTransaction, 'query'>) => Promise<T>,
): Promise<T> => {
  const connection = new Connection(pool, 'all orgs', false);
  try {
    return await read({ query: (what, ...params) => connection.query(what, params) });
  } finally {
    await connection.abandon();
  }
};
