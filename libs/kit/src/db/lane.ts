import type pg from 'pg';
import type { Address } from './address.ts';
import { bindOrg } from './binding.ts';
import { DatabaseClient } from './client.ts';
import { corkForTurn, isCorked } from './cork.ts';
import { faultOf } from './fault.ts';
import { connectionOptions, REQUEST_SETTINGS } from './pool.ts';
import { watch } from './watch.ts';

/** A statement that Postgres works on for longer than this holds up those behind it. */
const STUCK_MS = 25;

interface Read {
  org: string;
  deadline: number;
}

/** One connection that many readers share; statements go out in order, each under its own org. */
export class Lane {
  readonly #client: DatabaseClient;
  /** On their way, the one that Postgres works on first. */
  readonly #reads: Read[] = [];
  /** Since when it works on that one. */
  #since = 0;
  /** Why there is no connection, in the words of whoever refused it. */
  #refusal: Error | undefined;

  constructor(address: Address, name: string, onGone: (reason?: Error) => void) {
    this.#client = new DatabaseClient(connectionOptions(address, name, REQUEST_SETTINGS));
    this.#client.on('error', onGone);
    this.#client.on('end', onGone);
    watch(this.#client);
    this.#client.connect().catch((error: Error) => {
      this.#refusal = error;
      onGone(error);
    });
  }

  get inFlight(): number {
    return this.#reads.length;
  }

  /** Written to in this turn already. */
  get isWritten(): boolean {
    return isCorked(this.#client);
  }

  /** What is sent now waits behind something slow. */
  isStuck(now: number): boolean {
    return this.#reads.length > 0 && now - this.#since > STUCK_MS;
  }

  /** Something of this org is on its way. */
  isReading(org: string): boolean {
    return this.#reads.some((read) => read.org === org);
  }

  /** `deadline`: epoch milliseconds after which nobody waits for it; `now`: the same clock. */
  query<R extends pg.QueryResultRow>(
    org: string,
    statement: pg.QueryConfig,
    deadline: number,
    now: number,
  ): Promise<pg.QueryResult<R>> {
    return new Promise((resolve, reject) => {
      const read = { org, deadline };
      if (this.#reads.push(read) === 1) this.#begin(read, now);
      corkForTurn(this.#client);
      bindOrg(this.#client, org);
      this.#client.query<R>(statement, (error, result) => {
        this.#done(read);
        if (error as Error | null) this.#fail(error, reject);
        else resolve(result);
      });
    });
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

  /** A session that ends says so before its connection does: nothing more is sent on it. */
  #fail(error: Error, reject: (reason: Error) => void): void {
    if (faultOf(error) === 'lost') this.#client.giveUp(error);
    reject(this.#refusal ?? error);
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}
