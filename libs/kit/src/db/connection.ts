import type pg from 'pg';
import { z } from 'zod';
import { spannedSql } from '../telemetry/trace.ts';
import { corkForTurn } from './cork.ts';
import { queryOf, SET_ORG, type Statement } from './statement.ts';

/** Who a connection speaks for: one org (request path) or every org (event machinery, jobs). */
export type Scope = { org_id: string } | 'all orgs';

/** The org each pooled connection was last bound to. */
const boundOrg = new WeakMap<pg.PoolClient, string>();
const UNKNOWN = 'unknown';

/** What a session runs its statements on. */
export interface Work {
  /** True once a connection is held: nothing that waits for a neighbour may run from here on. */
  readonly isOpen: boolean;
  /** Speaks for this org from now on; once open, a connection stays with the org it was opened for. */
  bind(org_id: string): void;
  query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]>;
  /** Sends a statement whose outcome is checked at commit. */
  run(what: Statement, params: readonly unknown[]): void;
  /** Commits everything sent so far; rejects with the first error, and then nothing was stored. */
  commit(): Promise<void>;
  /** Gives the connection back with nothing stored. */
  abandon(): Promise<void>;
}

/**
 * One use of one pooled connection, as a rule for a transaction. Opened by the first
 * statement, so work that needs no database takes no connection. Statements are sent without waiting
 * for earlier answers, and those sent in one turn leave in one packet.
 */
export class Connection implements Work {
  readonly #pool: pg.Pool;
  #scope: Scope;
  readonly #transaction: boolean;
  #opening: Promise<pg.PoolClient> | undefined;
  #client: pg.PoolClient | undefined;
  #over = false;
  readonly #unawaited: Promise<unknown>[] = [];

  constructor(pool: pg.Pool, scope: Scope, transaction: boolean) {
    this.#pool = pool;
    this.#scope = scope;
    this.#transaction = transaction;
  }

  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  bind(org_id: string): void {
    const same = this.#scope !== 'all orgs' && this.#scope.org_id === org_id;
    if (this.isOpen && !same) throw new Error('an open session cannot change its org');
    this.#scope = { org_id };
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    const client = this.#client ?? (await this.#open());
    return (await this.#send<R & pg.QueryResultRow>(client, what, params)).rows;
  }

  run(what: Statement, params: readonly unknown[]): void {
    const sent = this.query(what, params);
    sent.catch(() => {});
    this.#unawaited.push(sent);
  }

  #open(): Promise<pg.PoolClient> {
    if (this.#over) throw new Error('this session is over');
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  async #begin(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    this.#client = client;
    const org = this.#scope === 'all orgs' ? '' : this.#scope.org_id;
    if ((boundOrg.get(client) ?? '') !== org) {
      boundOrg.set(client, org);
      this.#must(this.#send(client, SET_ORG, [org]), client);
    }
    if (this.#transaction) this.#must(this.#plain(client, 'begin'), client);
    return client;
  }

  /** A failed preamble means this connection can no longer be trusted with a tenant. */
  #must(sent: Promise<unknown>, client: pg.PoolClient): void {
    sent.catch(() => boundOrg.set(client, UNKNOWN));
    this.#unawaited.push(sent);
  }

  #send<R extends pg.QueryResultRow>(
    client: pg.PoolClient,
    what: Statement,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<R>> {
    corkForTurn(client);
    return spannedSql(what.text, () => client.query<R>(queryOf(what, values)));
  }

  #plain(client: pg.PoolClient, text: string): Promise<pg.QueryResult> {
    corkForTurn(client);
    return spannedSql(text, () => client.query(text));
  }

  async commit(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening;
    const commit = this.#transaction ? this.#plain(client, 'commit') : undefined;
    const outcomes = await Promise.allSettled([...this.#unawaited, commit]);
    this.#release(client);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    if (commit !== undefined && (await commit).command !== 'COMMIT') {
      throw new Error('the transaction was rolled back by the database');
    }
  }

  async abandon(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening.catch(() => undefined);
    if (client === undefined) return;
    if (this.#transaction) this.#must(this.#plain(client, 'rollback'), client);
    await Promise.allSettled(this.#unawaited);
    this.#release(client);
  }

  #release(client: pg.PoolClient): void {
    this.#client = undefined;
    this.#over = true;
    client.release(boundOrg.get(client) === UNKNOWN);
  }
}

/** The parts of a database error that rules decide by. */
const DatabaseFault = z.object({ code: z.string().length(5), constraint: z.string().optional() });

/** SQLSTATE and constraint name when the database refused, else `undefined`. */
export const databaseFault = (error: unknown): z.output<typeof DatabaseFault> | undefined =>
  DatabaseFault.safeParse(error).data;
