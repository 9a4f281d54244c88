import type pg from 'pg';
import type { Address } from './address.ts';
import { BIND_CONNECTION } from './bound-organization.ts';
import { watchConnection } from './connection-watchdog.ts';
import { type QueryCallback, DatabaseClient, type DriverQuery } from './database-client.ts';
import { ConnectionLost } from './database-fault.ts';
import { connectionOptions, READ_ONLY, REQUEST_SETTINGS } from './pool.ts';
import { toDriverQuery } from './statement.ts';

/** A statement that runs longer than this, in milliseconds, delays those after it noticeably. */
const STUCK_MS = 25;

/** Begins a read-only snapshot for the statements that follow. */
const BEGIN = { text: 'begin isolation level repeatable read read only' };
const END = { text: 'commit' };

interface Read {
  org: string;
  deadline: number;
}

/** A connection that many readers share. Statements are sent in order, each bound to its own org. */
export class SharedConnection {
  readonly #client: DatabaseClient;
  /** The org to which the next statement will be bound unless it is changed. */
  #boundOrg = '';
  /** Reads in flight; Postgres works on the first one. */
  readonly #reads: Read[] = [];
  /** When Postgres began the first read, in milliseconds of `performance.now()`. */
  #since = 0;
  /** Rejects with the reason if the connection could not be opened. */
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

  /** True if a statement was sent in the current turn of the event loop. */
  get isCorked(): boolean {
    return this.#client.isCorked;
  }

  /** True if a new statement would wait behind a slow one. */
  isStuck(now: number): boolean {
    return this.#reads.length > 0 && now - this.#since > STUCK_MS;
  }

  /** True if a read of this org is in flight. */
  isReading(org: string): boolean {
    return this.#reads.some((read) => read.org === org);
  }

  /**
   * `deadline`: milliseconds of `performance.now()` after which the caller no longer waits. `now`: the current time of the same clock.
   */
  query<R extends pg.QueryResultRow>(org: string, query: DriverQuery, deadline: number, now: number): Promise<R[]> {
    this.#bind(org);
    return this.#send<R>(org, query, deadline, now);
  }

  /**
   * Like `query`, for several statements in one snapshot. They and the statements of their transaction are sent without
   * a gap, so no statement of another reader is between them.
   */
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
      // A transaction that stays open would also contain the reads of others.
      this.#client.destroy(new ConnectionLost('a snapshot did not end', { cause: error }));
      throw error;
    });
    return (await Promise.all([begun, ...rows, ended])).slice(1, -1);
  }

  /** If the binding fails, all statements after it fail instead of running under the former org. */
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

  /** Prefers the reason why the connection could not be opened, if it never was. */
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
    if (index === 0) this.#begin(this.#reads[0], performance.now());
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
