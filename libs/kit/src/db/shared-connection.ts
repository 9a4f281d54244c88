import type pg from 'pg';
import type { Address } from './address.ts';
import { BIND_CONNECTION } from './bound-organization.ts';
import { watchConnection } from './connection-watchdog.ts';
import { type QueryCallback, DatabaseClient, type DriverQuery } from './database-client.ts';
import { ConnectionLost } from './database-fault.ts';
import { connectionOptions, READ_ONLY, REQUEST_SETTINGS } from './pool.ts';
import { toDriverQuery } from './statement.ts';

/** A statement that Postgres works on for longer than this holds up those behind it. */
const STUCK_MS = 25;

/** A snapshot of its own for what follows, which changes nothing. */
const BEGIN = { text: 'begin isolation level repeatable read read only' };
const END = { text: 'commit' };

interface Read {
  org: string;
  deadline: number;
}

/** One connection that many readers share; statements go out in order, each under its own org. */
export class SharedConnection {
  readonly #client: DatabaseClient;
  /** The org that statements run under which are sent from now on. */
  #boundOrg = '';
  /** On their way, the one that Postgres works on first. */
  readonly #reads: Read[] = [];
  /** Since when it works on that one. */
  #since = 0;
  /** Rejects with the reason why there is no connection. */
  readonly #connected: Promise<unknown>;

  constructor(address: Address, name: string, onGone: (reason?: Error) => void) {
    this.#client = new DatabaseClient(connectionOptions(address, name, { ...READ_ONLY, ...REQUEST_SETTINGS }));
    this.#client.on('error', onGone);
    this.#client.on('end', onGone);
    watchConnection(this.#client);
    this.#connected = this.#client.connect();
    this.#connected.catch(onGone);
  }

  get inFlight(): number {
    return this.#reads.length;
  }

  /** Written to in this turn already. */
  get isWritten(): boolean {
    return this.#client.isCorked;
  }

  /** What is sent now waits behind something slow. */
  isStuck(now: number): boolean {
    return this.#reads.length > 0 && now - this.#since > STUCK_MS;
  }

  /** Something of this org is on its way. */
  isReading(org: string): boolean {
    return this.#reads.some((read) => read.org === org);
  }

  /** `deadline`: epoch milliseconds after which no caller waits for it; `now`: the same clock. */
  query<R extends pg.QueryResultRow>(org: string, query: DriverQuery, deadline: number, now: number): Promise<R[]> {
    this.#bind(org);
    return this.#send<R>(org, query, deadline, now);
  }

  /** The same for several that all see one moment: they and the frame of their transaction go behind each other, so nothing else's come between. */
  async snapshot(
    org: string,
    queries: readonly DriverQuery[],
    deadline: number,
    now: number,
  ): Promise<pg.QueryResultRow[][]> {
    this.#bind(org);
    const begun = this.#send(org, BEGIN, deadline, now);
    const rows = queries.map((query) => this.#send(org, query, deadline, now));
    const ended = this.#send(org, END, deadline, now).catch((error: unknown) => {
      // A transaction that goes on would keep the reads of others.
      this.#client.destroy(new ConnectionLost('a snapshot did not end', { cause: error }));
      throw error;
    });
    return (await Promise.all([begun, ...rows, ended])).slice(1, -1);
  }

  /** When the binding fails, all that was sent behind it fails instead of running under the former org. */
  #bind(org: string): void {
    if (this.#boundOrg === org) return;
    this.#boundOrg = org;
    this.#client.send(toDriverQuery(BIND_CONNECTION, [org]), (error) => {
      if (error === undefined) return;
      this.#client.destroy(new ConnectionLost('a connection could not be bound to an organization', { cause: error }));
    });
  }

  #send<R extends pg.QueryResultRow>(org: string, query: DriverQuery, deadline: number, now: number): Promise<R[]> {
    return new Promise((resolve) => {
      const read = { org, deadline };
      if (this.#reads.push(read) === 1) this.#begin(read, now);
      const answered: QueryCallback<R> = (error, result) => {
        this.#done(read);
        resolve(result === undefined ? this.#failure(error) : result.rows);
      };
      this.#client.send<R>(query, answered);
    });
  }

  /** The reason why there is no connection, where there never was one. */
  async #failure(error: Error | undefined): Promise<never> {
    await this.#connected;
    throw error;
  }

  #begin(read: Read | undefined, now: number): void {
    this.#since = now;
    this.#client.deadline = read?.deadline ?? Infinity;
  }

  #done(read: Read): void {
    const index = this.#reads.indexOf(read);
    if (index < 0) return;
    this.#reads.splice(index, 1);
    if (index === 0) this.#begin(this.#reads[0], Date.now());
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
