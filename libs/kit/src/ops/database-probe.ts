import { withTimeout } from '../base/timeout.ts';
import { type Address, withEachPassword } from '../db/address.ts';
import { ConnectionLost } from '../db/database-fault.ts';
import { connectionOptions } from '../db/pool.ts';
import { DatabaseClient, queryRows } from '../db/database-client.ts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { leastSkew } from '../rpc/clock-skew.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** One row for all migrations: it is read every two seconds. `at`: epoch milliseconds by the clock of Postgres. */
const APPLIED = statement(
  `select coalesce(array_agg(name::text order by name), '{}') as names,
     (extract(epoch from clock_timestamp()) * 1000)::float8 as at
   from schema_migration`,
  { names: notNull(p.array()), at: notNull(p.double()) },
);

/**
 * Checks the database with one role over a connection of its own, which it keeps. So a pool without free connections
 * does not look like an unreachable database, and regular checks open no new connections.
 */
export class DatabaseProbe {
  readonly #address: Address;
  readonly #name: string;
  #client: Promise<DatabaseClient> | undefined;
  /** Milliseconds by which the clock of Postgres is ahead of that of this process. Undefined before the first answer. */
  skew_ms: number | undefined;
  /** Called when the connection is lost. */
  onLost: () => void = () => {};

  constructor(address: Address, name: string) {
    this.#address = address;
    this.#name = name;
  }

  /**
   * The names of the applied migrations. If the connection that was kept is lost, one attempt with a new one follows
   * before the database counts as unreachable.
   */
  async appliedMigrations(): Promise<string[]> {
    const isKept = this.#client !== undefined;
    try {
      return await this.#ask();
    } catch (error) {
      if (!isKept) throw error;
    }
    return this.#ask();
  }

  async #ask(): Promise<string[]> {
    const connecting = (this.#client ??= this.#connect());
    let isConnecting = true;
    const made = (): boolean => (isConnecting = false);
    connecting.then(made, made);
    try {
      const looking = connecting.then((client) => this.#look(client));
      return await withTimeout(CHECK_TIMEOUT_MS, 'the database does not answer', looking);
    } catch (error) {
      // A slow database needs several answers to accept a connection: the next check uses this one when it is open.
      if (isConnecting) throw error;
      if (this.#client === connecting) this.#client = undefined;
      connecting.then((client) => client.destroy(new ConnectionLost('the check failed'))).catch(() => {});
      throw error;
    }
  }

  async #look(client: DatabaseClient): Promise<string[]> {
    const begun = Date.now();
    const [row] = await queryRows(client, APPLIED);
    if (row !== undefined) this.skew_ms = leastSkew(row.at, begun, Date.now());
    return row?.names ?? [];
  }

  #connect(): Promise<DatabaseClient> {
    return withEachPassword(this.#address, async () => {
      const client = new DatabaseClient(connectionOptions(this.#address, this.#name));
      await client.connect();
      client.once('end', () => this.onLost());
      return client;
    });
  }

  async end(): Promise<void> {
    await this.#client?.then((client) => client.end()).catch(() => {});
  }
}
