import { Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address } from './address.ts';
import { faultOf } from './fault.ts';
import { Lane } from './lane.ts';
import { queryOf, type Statement } from './statement.ts';

/** A statement with its parameters. */
export type Asked = readonly [what: Statement, values: readonly unknown[]];

/** Reads under way on one connection before the next one is used in the same turn. */
const DEPTH = 8;
/** A snapshot of its own for what follows, which changes nothing. */
const BEGIN = { text: 'begin isolation level repeatable read read only' };
const END = { text: 'commit' };
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
  readonly #open: () => Lane;
  readonly #lanes: (Lane | undefined)[];
  readonly #share: number;

  constructor(address: Address, count: number, name: string, log: Logger) {
    this.#lanes = Array.from({ length: count }, () => undefined);
    this.#share = Math.max(1, Math.floor(count / 2));
    this.#open = () => {
      const one: Lane = new Lane(address, name, (reason) => this.#drop(one, log, reason));
      return one;
    };
  }

  /** How many there are of them, at most and now. */
  get most(): number {
    return this.#lanes.length;
  }

  get used(): number {
    return this.#lanes.filter((one) => one !== undefined).length;
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
  ): Promise<pg.QueryResult<R>> {
    const query = queryOf(what, values);
    return this.#repeatedOnce(org, deadline, (lane, now) => lane.query<R>(org, query, deadline, now));
  }

  /**
   * The same for several at once, which all see one moment. They and the frame of their transaction go behind each other
   * on one connection, so nobody else's come between, and none waits for an answer. One alone needs no frame.
   */
  async together(org: string, asked: readonly Asked[], deadline = Infinity): Promise<pg.QueryResultRow[][]> {
    const queries = asked.map(([what, values]) => queryOf(what, values));
    const framed = queries.length > 1 ? [BEGIN, ...queries, END] : queries;
    const results = await this.#repeatedOnce(org, deadline, (lane, now) =>
      Promise.all(framed.map((query) => lane.query(org, query, deadline, now))),
    );
    return (queries.length > 1 ? results.slice(1, -1) : results).map(({ rows }) => rows);
  }

  async #repeatedOnce<T>(org: string, deadline: number, send: (lane: Lane, now: number) => Promise<T>): Promise<T> {
    const attempt = (): Promise<T> => {
      const now = Date.now();
      return now > deadline ? Promise.reject(new Problem('timeout')) : send(this.#pick(org, now), now);
    };
    try {
      return await attempt();
    } catch (error) {
      if (faultOf(error) !== 'lost') throw error;
    }
    return attempt();
  }

  /**
   * One that is written to in this turn anyway, else the least busy one, and none that is stuck while another is not. An
   * org that has its share of them gets one of its own.
   */
  #pick(org: string, now: number): Lane {
    const isFull = this.#isFull(org);
    let best = 0;
    let least = Infinity;
    for (let index = 0; index < this.#lanes.length; index += 1) {
      const one = this.#lanes[index];
      if (isFull && one?.isReading(org) !== true) continue;
      const isStuck = one?.isStuck(now) === true;
      if (one?.isWritten === true && !isStuck && one.inFlight < DEPTH) return one;
      const before = (one?.inFlight ?? 0) + (isStuck ? STUCK : 0);
      if (before < least) [best, least] = [index, before];
    }
    return (this.#lanes[best] ??= this.#open());
  }

  #isFull(org: string): boolean {
    let own = 0;
    for (const one of this.#lanes) if (one?.isReading(org) === true) own += 1;
    return own >= this.#share;
  }

  #drop(one: Lane, log: Logger, reason: Error | undefined): void {
    const index = this.#lanes.indexOf(one);
    if (index < 0) return;
    this.#lanes[index] = undefined;
    log.warn({ err: reason }, 'a read connection was lost');
  }

  async end(): Promise<void> {
    const all = this.#lanes.splice(0);
    await Promise.all(all.flatMap((one) => (one === undefined ? [] : [one.end()])));
  }
}
