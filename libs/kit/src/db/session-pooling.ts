import { withTimeout } from '../base/timeout.ts';
import type { Address } from './address.ts';
import { DatabaseClient } from './database-client.ts';
import { ConnectionLost } from './database-fault.ts';
import { connectionOptions } from './pool.ts';

const BACKEND_PID = 'select pg_backend_pid() as pid';
const ROUNDS = 3;
const PATIENCE_MS = 5_000;
const SILENT = 'the database does not answer';

/** A connection pooler between the service and Postgres shares sessions between transactions or statements. */
export class SharedSessionError extends Error {
  constructor() {
    super(
      'the database hands out its sessions by transaction or statement (a PgBouncer with another pool_mode than "session"?): ' +
        'settings, named statements and advisory locks of a connection would be lost or shared with others. ' +
        'Use pool_mode = session, or connect to Postgres itself',
    );
  }
}

/** Uses no named statement: where sessions are shared, names are shared too. */
const backendOf = async (client: DatabaseClient): Promise<number> =>
  (await withTimeout(PATIENCE_MS, SILENT, client.execute<{ pid: number }>({ text: BACKEND_PID }))).rows[0]?.pid ?? 0;

/**
 * Throws `SharedSessionError` unless each connection keeps its own session of Postgres. Two open connections are asked
 * in alternation. With pooling by transaction, the second gets the session of the first, or a connection gets another
 * session.
 */
export const requireSessionPooling = async (address: Address): Promise<void> => {
  const options = connectionOptions(address, 'own session');
  const clients = [new DatabaseClient(options), new DatabaseClient(options)];
  const seen = clients.map(() => new Set<number>());
  try {
    await Promise.all(clients.map((client) => withTimeout(PATIENCE_MS, SILENT, client.connect())));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [n, client] of clients.entries()) seen[n]?.add(await backendOf(client));
  } finally {
    await Promise.all(
      clients.map((client) =>
        withTimeout(PATIENCE_MS, SILENT, client.end()).catch(() => client.destroy(new ConnectionLost(SILENT))),
      ),
    );
  }
  const [one = new Set<number>(), other = new Set<number>()] = seen;
  if (one.size > 1 || other.size > 1 || [...one].some((pid) => other.has(pid))) throw new SharedSessionError();
};
