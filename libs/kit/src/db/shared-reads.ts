import { Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address } from './address.ts';
import { faultKindOf } from './database-fault.ts';
import { SharedConnection } from './shared-connection.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** A statement with its parameters. */
export type PendingStatement = readonly [what: Statement, values: readonly unknown[]];

/** Reads under way on one connection before the next one is used in the same turn. */
const DEPTH = 8;
/** As if so many reads were before it. */
const STUCK = 1_000_000;

/**
 * Connections for reads outside transactions. Many requests share each: their statements are pipelined in
 * one write per turn of the event loop, with the tenant bound in between whenever it changes. Postgres runs
 * a connection's statements in the order sent, so each read sees exactly the tenant sent before it.
 *
 * Reads of one org are on half of the connections at a time at most: however slow they are, others get through.
 */
export class SharedReads {
  readonly #open: () => SharedConnection;
  readonly #connections: (SharedConnection | undefined)[];
  readonly #share: number;

  constructor(address: Address, count: number, name: string, log: Logger) {
    this.#connections = Array.from({ length: count }, () => undefined);
    this.#share = Math.max(1, Math.floor(count / 2));
    this.#open = () => {
      const one: SharedConnection = new SharedConnection(address, name, (reason) => this.#drop(one, log, reason));
      return one;
    };
  }

  /** How many there are of them, at most and now. */
  get most(): number {
    return this.#connections.length;
  }

  get used(): number {
    return this.#connections.filter((one) => one !== undefined).length;
  }

  /**
   * `deadline`: epoch milliseconds after which nobody waits. A read whose connection was lost is sent once more on
   * another: it changes nothing, and what it was lost with may have been somebody else's.
   */
  query<R extends pg.QueryResultRow>(
    org: string,
    what: Statement,
    values: readonly unknown[],
    deadline = Infinity,
  ): Promise<R[]> {
    const query = toDriverQuery(what, values);
    return this.#repeatedOnce(org, deadline, (one, now) => one.query<R>(org, query, deadline, now));
  }

  /** The same for several at once, which all see one moment. One alone needs no frame. */
  async together(org: string, asked: readonly PendingStatement[], deadline = Infinity): Promise<pg.QueryResultRow[][]> {
    const queries = asked.map(([what, values]) => toDriverQuery(what, values));
    const [only] = queries;
    return this.#repeatedOnce(org, deadline, async (one, now) =>
      only !== undefined && queries.length === 1
        ? [await one.query(org, only, deadline, now)]
        : one.snapshot(org, queries, deadline, now),
    );
  }

  async #repeatedOnce<T>(
    org: string,
    deadline: number,
    send: (one: SharedConnection, now: number) => Promise<T>,
  ): Promise<T> {
    const attempt = (): Promise<T> => {
      const now = Date.now();
      return now > deadline ? Promise.reject(new Problem('timeout')) : send(this.#pick(org, now), now);
    };
    try {
      return await attempt();
    } catch (error) {
      if (faultKindOf(error) !== 'lost') throw error;
    }
    return attempt();
  }

  /**
   * One that is written to in this turn anyway, else the least busy one, and none that is stuck while another is not. An
   * org that has its share of them gets one of its own.
   */
  #pick(org: string, now: number): SharedConnection {
    const isFull = this.#isFull(org);
    let best = 0;
    let least = Infinity;
    for (let index = 0; index < this.#connections.length; index += 1) {
      const one = this.#connections[index];
      if (isFull && one?.isReading(org) !== true) continue;
      const isStuck = one?.isStuck(now) === true;
      if (one?.isWritten === true && !isStuck && one.inFlight < DEPTH) return one;
      const before = (one?.inFlight ?? 0) + (isStuck ? STUCK : 0);
      if (before < least) [best, least] = [index, before];
    }
    return (this.#connections[best] ??= this.#open());
  }

  #isFull(org: string): boolean {
    let own = 0;
    for (const one of this.#connections) if (one?.isReading(org) === true) own += 1;
    return own >= this.#share;
  }

  #drop(one: SharedConnection, log: Logger, reason: Error | undefined): void {
    const index = this.#connections.indexOf(one);
    if (index < 0) return;
    this.#connections[index] = undefined;
    log.warn({ err: reason }, 'a read connection was lost');
  }

  async end(): Promise<void> {
    const all = this.#connections.splice(0);
    await Promise.all(all.flatMap((one) => (one === undefined ? [] : [one.end()])));
  }
}
