import { Problem } from '@teaching/contracts';
import type pg from 'pg';
import { spannedSql } from '../telemetry/trace.ts';
import { bindOrg } from './binding.ts';
import { setDeadline } from './client.ts';
import { corkForTurn } from './cork.ts';
import { ConnectionLost, databaseFault, faultOf, OutcomeUnknown } from './fault.ts';
import { queryOf, type Statement } from './statement.ts';

/** Who a connection speaks for: one org (request path) or every org (event machinery, jobs). */
export type Scope = { org_id: string } | 'all orgs';

/** What the driver says of a statement that it did not send, since the connection had ended before. */
const NOT_SENT = /not queryable/;
/** SQLSTATE of every statement after one that was refused: that one says why, and whether another try may help. */
const AFTER_A_FAILURE = '25P02';
/** The session ended with what binds and prepares it, so it got no further. */
const isEndedBefore = (reason: unknown): boolean =>
  reason instanceof ConnectionLost && databaseFault(reason.cause) !== undefined && faultOf(reason.cause) === 'lost';

/** What a session runs its statements on. */
export interface Work {
  /** True once a connection is held: nothing that waits for a neighbour may run from here on. */
  readonly isOpen: boolean;
  /** Speaks for this org from now on; once open, a connection stays with the org it was opened for. */
  bind(org_id: string): void;
  query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]>;
  /** Sends a statement whose outcome is checked at commit. */
  run(what: Statement, params: readonly unknown[]): void;
  /** Commits everything sent so far; rejects with the first error, and then nothing was stored, or with `OutcomeUnknown`. */
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
  /** What the database refused first: it stores nothing. */
  #refusal: unknown;
  #isBroken = false;
  readonly #deadline: number;
  readonly #unawaited: Promise<unknown>[] = [];

  /** `deadline`: epoch milliseconds after which nobody waits any more; no statement is sent then, and none goes on. */
  constructor(pool: pg.Pool, scope: Scope, transaction: boolean, deadline = Infinity) {
    this.#pool = pool;
    this.#scope = scope;
    this.#transaction = transaction;
    this.#deadline = deadline;
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
    this.#requireTime();
    try {
      return (await this.#send<R & pg.QueryResultRow>(client, what, params)).rows;
    } catch (error) {
      const state = databaseFault(error)?.code;
      if (state !== undefined) this.#refusal ??= error;
      // A session that ends says so before its connection does.
      this.#isBroken ||= faultOf(error) === 'lost';
      throw state === AFTER_A_FAILURE ? this.#refusal : error;
    }
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
    setDeadline(client, this.#deadline);
    corkForTurn(client);
    bindOrg(client, this.#scope === 'all orgs' ? '' : this.#scope.org_id);
    if (this.#transaction) this.#must(this.#plain(client, 'begin'));
    return client;
  }

  /** Who fails to begin or to roll back leaves a connection that nobody can go on with. */
  #must(sent: Promise<unknown>): void {
    sent.catch(() => {
      this.#isBroken = true;
    });
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

  #requireTime(): void {
    if (Date.now() > this.#deadline) throw new Problem('timeout');
  }

  /** COMMIT went out and was not answered, and nothing says that it had to fail. */
  #isUnknown(commit: PromiseSettledResult<unknown> | undefined): boolean {
    if (commit?.status !== 'rejected' || this.#refusal !== undefined) return false;
    const { reason } = commit;
    return faultOf(reason) === 'lost' && !NOT_SENT.test(String(reason)) && !isEndedBefore(reason);
  }

  async commit(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening;
    this.#requireTime();
    const commit = this.#transaction ? this.#plain(client, 'commit') : undefined;
    const outcomes = await Promise.allSettled([...this.#unawaited, commit]);
    this.#release(client);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined)
      throw this.#isUnknown(outcomes.at(-1)) ? new OutcomeUnknown(failed.reason) : failed.reason;
    if (commit !== undefined && (await commit).command !== 'COMMIT') {
      throw new Error('the transaction was rolled back by the database');
    }
  }

  async abandon(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening.catch(() => undefined);
    if (client === undefined) return;
    if (this.#transaction) this.#must(this.#plain(client, 'rollback'));
    await Promise.allSettled(this.#unawaited);
    this.#release(client);
  }

  #release(client: pg.PoolClient): void {
    this.#client = undefined;
    this.#over = true;
    setDeadline(client, Infinity);
    client.release(this.#isBroken);
  }
}
