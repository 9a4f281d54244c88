import { withTimeout } from '../base/timeout.ts';
import { type Address, withEachPassword } from '../db/address.ts';
import { ConnectionLost } from '../db/database-fault.ts';
import { connectionOptions } from '../db/pool.ts';
import { DatabaseClient, queryRows } from '../db/database-client.ts';
import { always, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

const LOOK_MS = 2_000;
/** One row, however many there are: it is read every two seconds. */
const APPLIED = statement(`select coalesce(array_agg(name::text order by name), '{}') as names from schema_migration`, {
  names: always(p.array()),
});

/**
 * Looks at the database as one role over a connection of its own, kept: a pool that is used up is no database that
 * is gone, and standing by costs no new connections.
 */
export class DatabaseProbe {
  readonly #address: Address;
  readonly #name: string;
  #client: Promise<DatabaseClient> | undefined;
  /** Called when the connection that it keeps is lost. */
  onLost: () => void = () => {};

  constructor(address: Address, name: string) {
    this.#address = address;
    this.#name = name;
  }

  /** Names of the migrations that were applied. That the connection it kept is lost says nothing yet: a new one tells. */
  async applied(): Promise<string[]> {
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
      const looking = connecting.then((client) => queryRows(client, APPLIED));
      return (await withTimeout(LOOK_MS, 'the database does not answer', looking)).flatMap(({ names }) => names);
    } catch (error) {
      // To be let in takes several answers of a database that is late: the next look finds the connection made.
      if (isConnecting) throw error;
      if (this.#client === connecting) this.#client = undefined;
      connecting.then((client) => client.destroy(new ConnectionLost('nobody looks any more'))).catch(() => {});
      throw error;
    }
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
