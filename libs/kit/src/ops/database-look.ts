import { p } from '@mikro-orm/postgresql';
import pg from 'pg';
import { within } from '../base/within.ts';
import { connectionOptions } from '../db/pool.ts';
import { rows } from '../db/rows.ts';
import { always } from '../db/shape.ts';
import { statement } from '../db/statement.ts';

const LOOK_MS = 2_000;
const APPLIED = statement('select name::text from schema_migration order by name', { name: always(p.text()) });

/**
 * Looks at the database as one role over a connection of its own, kept: a pool that is used up is no database that
 * is gone, and standing by costs no new connections.
 */
export class DatabaseLook {
  readonly #url: string;
  readonly #name: string;
  #client: Promise<pg.Client> | undefined;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  /** Names of the migrations that were applied. */
  async applied(): Promise<string[]> {
    const connecting = (this.#client ??= this.#connect());
    try {
      const looking = connecting.then((client) => rows(client, APPLIED));
      return (await within(LOOK_MS, 'the database does not answer', looking)).map(({ name }) => name);
    } catch (error) {
      if (this.#client === connecting) this.#client = undefined;
      connecting.then((client) => client.end()).catch(() => {});
      throw error;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(connectionOptions(this.#url, this.#name));
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async end(): Promise<void> {
    await this.#client?.then((client) => client.end()).catch(() => {});
  }
}
