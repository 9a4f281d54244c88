import { Problem } from '@teaching/contracts';
import pg from 'pg';
import { withStatementSpan } from '../telemetry/trace.ts';
import { type QueryCallback, type PooledClient, type DriverQuery, takeClient } from './database-client.ts';
import { ConnectionLost, databaseFault, STATEMENT_NOT_PREPARED, OutcomeUnknown, RolledBack } from './database-fault.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** The scope of a connection: one org (requests), or all orgs (event processing and jobs). */
export type ConnectionScope = { org_id: string } | 'all orgs';

/**
 * The statements that begin and end a transaction, as plain texts: cheaper than prepared statements. Sessions are read
 * only by default, so Postgres stores nothing after a `begin` that failed. Only the transaction is bound to the org, so
 * no binding remains on the connection.
 */
const beginOf = (scope: ConnectionScope): DriverQuery => ({
  text: `begin read write${scope === 'all orgs' ? '' : `; set local app.org_id = ${pg.escapeLiteral(scope.org_id)}`}`,
});
const COMMIT: DriverQuery = { text: 'commit' };
const ROLLBACK: DriverQuery = { text: 'rollback' };

const sessionEnded = (): Error => new Error('this session has ended');

/** Runs the statements of a session. */
export interface StatementRunner {
  /** True once a connection is held. From then on no code may wait for a peer service. */
  readonly isOpen: boolean;
  /** Binds to this org. A connection that is open keeps the org that it was opened for; another one throws. */
  bind(org_id: string): void;
  query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]>;
  /** Sends a statement whose outcome is checked at commit. Throws when a parameter cannot be sent. */
  run(what: Statement, params: readonly unknown[]): void;
  /**
   * Commits all statements sent so far. Rejects with the first error if nothing was stored, or with `OutcomeUnknown`.
   */
  commit(): Promise<void>;
  /** Returns the connection to the pool with nothing stored. */
  abandon(): Promise<void>;
}

/**
 * One use of a pooled connection, usually for a transaction. Without a transaction it reads across all orgs. The first
 * statement opens it, so code that needs no database takes no connection.
 *
 * Statements run in the order of `query` and `run`, and are sent without waiting for earlier answers. After a failed
 * statement Postgres ignores the rest of the transaction.
 */
export class Connection implements StatementRunner {
  readonly #pool: pg.Pool;
  #scope: ConnectionScope;
  readonly #transaction: boolean;
  readonly #deadline: number;
  #opening: Promise<PooledClient> | undefined;
  #client: PooledClient | undefined;
  /** Statements that were sent while the connection was being opened, in order. */
  readonly #waiting: { query: DriverQuery; onAnswer: QueryCallback }[] = [];
  #hasEnded = false;
  /** The first refusal of Postgres. Nothing of the transaction is stored then. */
  #refusal: Error | undefined;
  #unanswered = 0;
  #allAnswered: (() => void) | undefined;

  /**
   * `deadline`: milliseconds of `performance.now()` after which the caller no longer waits. No statement is sent or continued after it.
   */
  constructor(pool: pg.Pool, scope: ConnectionScope, transaction: boolean, deadline = Infinity) {
    this.#pool = pool;
    this.#scope = scope;
    this.#transaction = transaction;
    this.#deadline = deadline;
  }

  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  bind(org_id: string): void {
    const isSameOrg = this.#scope !== 'all orgs' && this.#scope.org_id === org_id;
    if (this.isOpen && !isSameOrg) throw new Error('an open session cannot change its org');
    this.#scope = { org_id };
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    const query = toDriverQuery(what, params);
    return withStatementSpan(what.text, async () => (await this.#request(query)).rows as R[]);
  }

  run(what: Statement, params: readonly unknown[]): void {
    const query = toDriverQuery(what, params);
    // A failure of this statement fails the commit.
    withStatementSpan(what.text, () => this.#request(query)).catch(() => {});
  }

  #request(query: DriverQuery): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw sessionEnded();
      this.#requireTime();
      this.#enqueue(query, (error, result) => (result === undefined ? reject(this.#reasonOf(error)) : resolve(result)));
    });
  }

  /** Sends now, or when the connection is open: always in the order of the calls. */
  #enqueue(query: DriverQuery, onAnswer: QueryCallback): void {
    if (this.#client !== undefined) return this.#send(this.#client, query, onAnswer);
    this.#waiting.push({ query, onAnswer });
    this.#opening ??= this.#open();
    this.#opening.catch((error: Error) => onAnswer(error, undefined));
  }

  async #open(): Promise<PooledClient> {
    const client = await takeClient(this.#pool);
    this.#client = client;
    client.deadline = this.#deadline;
    if (this.#waiting.length > 0 && this.#transaction) this.#begin(client);
    for (const { query, onAnswer } of this.#waiting.splice(0)) this.#send(client, query, onAnswer);
    return client;
  }

  #begin(client: PooledClient): void {
    this.#send(client, beginOf(this.#scope), (error) => {
      if (error !== undefined) client.destroy(new ConnectionLost('a transaction did not begin', { cause: error }));
    });
  }

  #send(client: PooledClient, query: DriverQuery, onAnswer: QueryCallback): void {
    this.#unanswered += 1;
    client.send(query, (error, result) => {
      if (databaseFault(error) !== undefined) this.#refusal ??= error;
      onAnswer(error, result);
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#allAnswered?.();
    });
  }

  /**
   * After a refused statement the later ones are refused too, and one that could not be prepared ends the session. Only
   * the first error has the reason and shows whether another try may help.
   */
  #reasonOf(error: Error | undefined): Error | undefined {
    const isConsequence =
      databaseFault(error) !== undefined || databaseFault(error?.cause)?.code === STATEMENT_NOT_PREPARED;
    return isConsequence ? (this.#refusal ?? error) : error;
  }

  /**
   * Once it is late it stays late, as the clock never goes back: a statement that was not sent must not be missing in a
   * commit. A late transaction stores nothing.
   */
  #requireTime(): void {
    if (performance.now() > this.#deadline)
      throw new Problem(this.#transaction ? 'unavailable' : 'timeout', 'The time for the request is over');
  }

  async commit(): Promise<void> {
    if (this.#opening === undefined || this.#hasEnded) return;
    this.#requireTime();
    this.#hasEnded = true;
    const client = await this.#opening;
    try {
      await withStatementSpan('commit', () => this.#finish(client));
    } finally {
      await this.#release(client);
    }
  }

  async #finish(client: PooledClient): Promise<void> {
    if (!this.#transaction) {
      await this.#awaitAnswers();
      if (this.#refusal !== undefined || client.lossReason !== undefined) throw this.#refusal ?? client.lossReason;
      return;
    }
    this.#requireTime();
    const isSent = client.lossReason === undefined;
    const result = await new Promise<pg.QueryResult>((resolve, reject) => {
      this.#send(client, COMMIT, (error, done) => (done === undefined ? reject(error) : resolve(done)));
    }).catch((error: Error) => {
      // COMMIT got no answer, and no earlier error shows that it must have failed.
      const isUnknown = isSent && this.#refusal === undefined && error instanceof ConnectionLost;
      throw isUnknown ? new OutcomeUnknown(error) : this.#reasonOf(error);
    });
    if (result.command !== 'COMMIT')
      throw this.#refusal ?? new RolledBack('the transaction was rolled back by the database');
  }

  async abandon(): Promise<void> {
    if (this.#opening === undefined || this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { onAnswer } of this.#waiting.splice(0)) onAnswer(sessionEnded(), undefined);
    const client = await this.#opening.catch(() => undefined);
    if (client !== undefined) await this.#release(client);
  }

  #awaitAnswers(): Promise<void> {
    return this.#unanswered === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#allAnswered = resolve;
        });
  }

  /** A connection in an unknown state is not reused. */
  async #release(client: PooledClient): Promise<void> {
    const isIdle = (): boolean => client.getTransactionStatus() === 'I';
    if (this.#unanswered > 0 || !isIdle()) {
      if (this.#transaction) this.#send(client, ROLLBACK, () => {});
      await this.#awaitAnswers();
    }
    client.deadline = Infinity;
    client.release(client.lossReason ?? !isIdle());
  }
}
