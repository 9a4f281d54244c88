import pg from 'pg';
import type { Logger } from 'pino';
import { corkForTurn, isCorked } from './cork.ts';
import { connectionOptions } from './pool.ts';
import { SET_ORG, type Statement, wireValues } from './statement.ts';

/** Reads under way on one lane before the next lane is used in the same turn. */
const DEPTH = 8;

/** One connection that many readers share; statements go out in order, each under its own org. */
class Lane {
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
      if (bound !== undefined) await bound;
      return await result;
    } finally {
      this.inFlight -= 1;
    }
  }

  /** A binding that fails leaves the connection under an unknown org, so it is closed. */
  async #bind(org: string): Promise<void> {
    this.#org = org;
    try {
      await this.#client.query({ name: SET_ORG.name, text: SET_ORG.text, values: [org] });
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
export class ReadLanes {
  readonly #open: () => Lane;
  readonly #lanes: (Lane | undefined)[];

  constructor(url: string, count: number, name: string, log: Logger) {
    this.#lanes = Array.from({ length: count }, () => undefined);
    this.#open = () => {
      const lane: Lane = new Lane(url, name, () => this.#drop(lane, log));
      return lane;
    };
  }

  query<R extends pg.QueryResultRow>(org: string, what: Statement<unknown>, values: readonly unknown[]) {
    return this.#pick().query<R>(org, { name: what.name, text: what.text, values: wireValues(values) });
  }

  /** A lane that is written to in this turn anyway, else the least busy one: a slow read delays few others. */
  #pick(): Lane {
    let best = 0;
    for (let index = 0; index < this.#lanes.length; index += 1) {
      const lane = this.#lanes[index];
      if (lane?.isWritten === true && lane.inFlight < DEPTH) return lane;
      if ((lane?.inFlight ?? 0) < (this.#lanes[best]?.inFlight ?? 0)) best = index;
    }
    return (this.#lanes[best] ??= this.#open());
  }

  #drop(lane: Lane, log: Logger): void {
    const index = this.#lanes.indexOf(lane);
    if (index < 0) return;
    this.#lanes[index] = undefined;
    log.warn('a read connection was lost');
  }

  async end(): Promise<void> {
    const lanes = this.#lanes.splice(0);
    await Promise.all(lanes.flatMap((lane) => (lane === undefined ? [] : [lane.end()])));
  }
}
