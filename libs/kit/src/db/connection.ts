import { Problem } from '@teaching/contracts';
import pg from 'pg';
import { withStatementSpan } from '../telemetry/trace.ts';
import { type QueryCallback, type PooledClient, type DriverQuery, takeClient } from './database-client.ts';
import { ConnectionLost, databaseFault, STATEMENT_NOT_PREPARED, OutcomeUnknown, RolledBack } from './database-fault.ts';
import { toDriverQuery, type Statement } from './statement.ts';

/** The org that a connection works for: one (request path) or every org (event machinery, jobs). */
export type ConnectionScope = { org_id: string } | 'all orgs';

/**
 * The frame of a transaction, as plain texts: cheaper than prepared statements. Sessions are read only, so Postgres stores
 * nothing behind a `begin` that failed. The transaction is bound and not the connection, so nothing of the org is left on it.
 */
const beginOf = (scope: ConnectionScope): DriverQuery => ({
  text: `begin read write${scope === 'all orgs' ? '' : `; set local app.org_id = ${pg.escapeLiteral(scope.org_id)}`}`,
});
const COMMIT: DriverQuery = { text: 'commit' };
const ROLLBACK: DriverQuery = { text: 'rollback' };

const over = (): Error => new Error('this session is over');

/** What a session runs its statements on. */
export interface StatementRunner {
  /** True once a connection is held: nothing that waits for a peer service may run from here on. */
  readonly isOpen: boolean;
  /** Works for this org from now on; once open, a connection stays with the org it was opened for. */
  bind(org_id: string): void;
  query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]>;
  /** Sends a statement whose outcome is checked at commit. Throws when a parameter cannot be sent. */
  run(what: Statement, params: readonly unknown[]): void;
  /** Commits everything sent so far; rejects with the first error, and then nothing was stored, or with `OutcomeUnknown`. */
  commit(): Promise<void>;
  /** Gives the connection back with nothing stored. */
  abandon(): Promise<void>;
}

/**
 * One use of one pooled connection, as a rule for a transaction; without one it reads, across all orgs. Opened by the
 * first statement, so work that needs no database takes no connection.
 *
 * Statements run in the order in which `query` and `run` are called, and are sent without waiting for earlier answers.
 * Behind one that fails Postgres does nothing more of the transaction.
 */
export class Connection implements StatementRunner {
  readonly #pool: pg.Pool;
  #scope: ConnectionScope;
  readonly #transaction: boolean;
  readonly #deadline: number;
  #isLate = false;
  #opening: Promise<PooledClient> | undefined;
  #client: PooledClient | undefined;
  /** Called for while the connection was being opened, in order. */
  readonly #waiting: { query: DriverQuery; answered: QueryCallback }[] = [];
  #isOver = false;
  /** What Postgres refused first: it stores nothing of the transaction. */
  #refusal: Error | undefined;
  #unanswered = 0;
  #allAnswered: (() => void) | undefined;

  /** `deadline`: epoch milliseconds after which no caller waits any more; no statement is sent then, and none goes on. */
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
    const same = this.#scope !== 'all orgs' && this.#scope.org_id === org_id;
    if (this.isOpen && !same) throw new Error('an open session cannot change its org');
    this.#scope = { org_id };
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    const query = toDriverQuery(what, params);
    return withStatementSpan(what.text, async () => (await this.#ask(query)).rows as R[]);
  }

  run(what: Statement, params: readonly unknown[]): void {
    const query = toDriverQuery(what, params);
    // Its failure fails the commit.
    withStatementSpan(what.text, () => this.#ask(query)).catch(() => {});
  }

  #ask(query: DriverQuery): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) throw over();
      this.#requireTime();
      this.#enqueue(query, (error, result) => (result === undefined ? reject(this.#reasonOf(error)) : resolve(result)));
    });
  }

  /** Sends now, or as soon as there is a connection: always in the order of the calls. */
  #enqueue(query: DriverQuery, answered: QueryCallback): void {
    if (this.#client !== undefined) return this.#send(this.#client, query, answered);
    this.#waiting.push({ query, answered });
    this.#opening ??= this.#open();
    this.#opening.catch((error: Error) => answered(error, undefined));
  }

  async #open(): Promise<PooledClient> {
    const client = await takeClient(this.#pool);
    this.#client = client;
    client.deadline = this.#deadline;
    if (this.#waiting.length > 0 && this.#transaction) this.#begin(client);
    for (const { query, answered } of this.#waiting.splice(0)) this.#send(client, query, answered);
    return client;
  }

  #begin(client: PooledClient): void {
    this.#send(client, beginOf(this.#scope), (error) => {
      if (error !== undefined) client.destroy(new ConnectionLost('a transaction did not begin', { cause: error }));
    });
  }

  #send(client: PooledClient, query: DriverQuery, answered: QueryCallback): void {
    this.#unanswered += 1;
    client.send(query, (error, result) => {
      if (databaseFault(error) !== undefined) this.#refusal ??= error;
      answered(error, result);
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#allAnswered?.();
    });
  }

  /**
   * Behind a statement that was refused others are refused, too, and one that could not be prepared ends the session: the first
   * has the reason, and whether another try may help.
   */
  #reasonOf(error: Error | undefined): Error | undefined {
    const isBehind = databaseFault(error) !== undefined || databaseFault(error?.cause)?.code === STATEMENT_NOT_PREPARED;
    return isBehind ? (this.#refusal ?? error) : error;
  }

  /** Once late it stays so, even if the clock goes back: a statement that was not sent may not be missing in a commit. */
  #requireTime(): void {
    this.#isLate ||= Date.now() > this.#deadline;
    if (this.#isLate) throw new Problem('timeout');
  }

  async commit(): Promise<void> {
    if (this.#opening === undefined || this.#isOver) return;
    this.#requireTime();
    this.#isOver = true;
    const client = await this.#opening;
    try {
      await withStatementSpan('commit', () => this.#conclude(client));
    } finally {
      await this.#giveBack(client);
    }
  }

  async #conclude(client: PooledClient): Promise<void> {
    if (!this.#transaction) {
      await this.#answers();
      if (this.#refusal !== undefined || client.lost !== undefined) throw this.#refusal ?? client.lost;
      return;
    }
    this.#requireTime();
    const isSent = client.lost === undefined;
    const result = await new Promise<pg.QueryResult>((resolve, reject) => {
      this.#send(client, COMMIT, (error, done) => (done === undefined ? reject(error) : resolve(done)));
    }).catch((error: Error) => {
      // No answer to COMMIT, and nothing says that it had to fail.
      const isUnknown = isSent && this.#refusal === undefined && error instanceof ConnectionLost;
      throw isUnknown ? new OutcomeUnknown(error) : this.#reasonOf(error);
    });
    if (result.command !== 'COMMIT')
      throw this.#refusal ?? new RolledBack('the transaction was rolled back by the database');
  }

  async abandon(): Promise<void> {
    if (this.#opening === undefined || this.#isOver) return;
    this.#isOver = true;
    for (const { answered } of this.#waiting.splice(0)) answered(over(), undefined);
    const client = await this.#opening.catch(() => undefined);
    if (client !== undefined) await this.#giveBack(client);
  }

  #answers(): Promise<void> {
    return this.#unanswered === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#allAnswered = resolve;
        });
  }

  /** A connection that is not as it was is of no use to the next. */
  async #giveBack(client: PooledClient): Promise<void> {
    const isIdle = (): boolean => client.getTransactionStatus() === 'I';
    if (this.#unanswered > 0 || !isIdle()) {
      if (this.#transaction) this.#send(client, ROLLBACK, () => {});
      await this.#answers();
    }
    client.deadline = Infinity;
    client.release(client.lost ?? !isIdle());
  }
}
