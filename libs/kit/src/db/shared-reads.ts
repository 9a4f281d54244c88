import pg from 'pg';
import type { Logger } from 'pino';
import { corkForTurn, isCorked } from './cork.ts';
import { connectionOptions } from './pool.ts';
import { queryOf, SET_ORG, type Statement } from './statement.ts';

/** Reads under way on one connection before the next one is used in the same turn. */
const DEPTH = 8;

/** One connection that many readers share; statements go out in order, each under its own org. */
class SharedConnection {
  inFlight = 0;
  readonly #client: pg.Client;
  readonly #ready: Promise<void>;
  #org = '';
  #connected = false;

  constructor(url: string, name: string, onGone: () => void) {
    this.#client = new pg.Client(connectionOptions(url, name));
    this.#client.on('error', onGone);
    this.#client.on('end', onGone);
    this.#ready = this.#client.connect().then(() => {
      this.#connected = true;
    });
    this.#ready.catch(onGone);
  }

  /** Written to in this turn already. */
  get isWritten(): boolean {
    return isCorked(this.#client);
  }

  async query<R extends pg.QueryResultRow>(org: string, statement: pg.QueryConfig): Promise<pg.QueryResult<R>> {
    this.inFlight += 1;
    try {
      if (!this.#connected) await this.#ready;
      corkForTurn(this.#client);
      // No await between these two: what is sent next runs under this org.
      const bound = this.#org === org ? undefined : this.#bind(org);
      const result = this.#client.query<R>(statement);
      // Both are awaited: when the connection is lost, both fail.
      return bound === undefined ? await result : (await Promise.all([result, bound]))[0];
    } finally {
      this.inFlight -= 1;
    }
  }

  /** A binding that fails leaves the connection under an unknown org, so it is closed. */
  async #bind(org: string): Promise<void> {
    this.#org = org;
    try {
      await this.#client.query(queryOf(SET_ORG, [org]));
    } catch (error) {
      void this.end();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}

/**
 * Connections for reads outside transactions. Many requests share each: their statements are pipelined in
 * one write per turn of the event loop, with the tenant bound in between whenever it changes. Postgres runs
 * a connection's statements in the order sent, so each read sees exactly the tenant sent before it.
 */
export class SharedReads {
  readonly #open: () => SharedConnection;
  readonly #connections: (SharedConnection | undefined)[];

  constructor(url: string, count: number, name: string, log: Logger) {
    this.#connections = Array.from({ length: count }, () => undefined);
    this.#open = () => {
      const one: SharedConnection = new SharedConnection(url, name, () => this.#drop(one, log));
      return one;
    };
  }

  query<R extends pg.QueryResultRow>(org: string, what: Statement, values: readonly unknown[]) {
    return this.#pick().query<R>(org, queryOf(what, values));
  }

  /** One that is written to in this turn anyway, else the least busy one: a slow read delays few others. */
  #pick(): SharedConnection {
    let best = 0;
    for (let index = 0; index < this.#connections.length; index += 1) {
      const one = this.#connections[index];
      if (one?.isWritten === true && one.inFlight < DEPTH) return one;
      if ((one?.inFlight ?? 0) < (this.#connections[best]?.inFlight ?? 0)) best = index;
    }
    return (this.#connections[best] ??= this.#open());
  }

  #drop(one: SharedConnection, log: Logger): void {
    const index = this.#connections.indexOf(one);
    if (index < 0) return;
    this.#connections[index] = undefined;
    log.warn('a read connection was lost');
  }

  async end(): Promise<void> {
    const all = this.#connections.splice(0);
    await Promise.all(all.flatMap((one) => (one === undefined ? [] : [one.end()])));
  }
}
