import { Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address } from './address.ts';
import { faultKindOf } from './database-fault.ts';
import { SharedConnection } from './shared-connection.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** A statement with its parameters. */
export type PendingStatement = readonly [what: Statement, values: readonly unknown[]];

/** Reads in flight on one connection before the next one is used in the same turn of the event loop. */
const MAX_DEPTH = 8;
/** Added to the length of a stuck connection when the shortest is chosen. */
const STUCK_PENALTY = 1_000_000;

/**
 * Shared connections for reads outside transactions. The statements of many requests are pipelined in one write per
 * turn of the event loop, and the tenant is bound whenever it changes. Postgres runs the statements of a connection in
 * the order sent, so each read sees exactly the tenant bound before it.
 *
 * The reads of one org use at most half of the connections at a time, so slow reads of one org do not block others.
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

  /** The largest number of connections. */
  get maxConnections(): number {
    return this.#connections.length;
  }

  get openConnections(): number {
    return this.#connections.filter((one) => one !== undefined).length;
  }

  /**
   * `deadline`: milliseconds of `performance.now()` after which the caller no longer waits. A read whose connection was lost is sent
   * once more on another connection: it changes nothing, and the loss may be caused by the statement of another reader.
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

  /** Like `query`, for several statements in one snapshot. A single statement needs no transaction. */
  async querySnapshot(
    org: string,
    asked: readonly PendingStatement[],
    deadline = Infinity,
  ): Promise<pg.QueryResultRow[][]> {
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
      const now = performance.now();
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
   * Picks a connection that is written to in this turn of the event loop, else the least busy one, and a stuck one
   * last. An org that uses its share of the connections gets one of those.
   */
  #pick(org: string, now: number): SharedConnection {
    const hasFullShare = this.#hasFullShare(org);
    let best = 0;
    let least = Infinity;
    for (let index = 0; index < this.#connections.length; index += 1) {
      const one = this.#connections[index];
      if (hasFullShare && one?.isReading(org) !== true) continue;
      const isStuck = one?.isStuck(now) === true;
      if (one?.isCorked === true && !isStuck && one.inFlight < MAX_DEPTH) return one;
      const before = (one?.inFlight ?? 0) + (isStuck ? STUCK_PENALTY : 0);
      if (before < least) [best, least] = [index, before];
    }
    return (this.#connections[best] ??= this.#open());
  }

  #hasFullShare(org: string): boolean {
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
