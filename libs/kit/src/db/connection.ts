import { Problem } from '@teaching/contracts';
import type pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { spannedSql } from '../telemetry/trace.ts';
import { Batch, type Sent } from './batch.ts';
import { bindOrg } from './binding.ts';
import { setDeadline, typesOf } from './client.ts';
import { ConnectionLost, databaseFault, faultOf, OutcomeUnknown } from './fault.ts';
import { BIND_ORG, queryOf, type Statement } from './statement.ts';

/** Who a connection speaks for: one org (request path) or every org (event machinery, jobs). */
export type Scope = { org_id: string } | 'all orgs';

/** What the driver says of a statement that it did not send, since the connection had ended before. */
const NOT_SENT = /not queryable/;
/** The session ended with what binds and prepares it, so it got no further. */
const isEndedBefore = (reason: unknown): boolean =>
  reason instanceof ConnectionLost && databaseFault(reason.cause) !== undefined && faultOf(reason.cause) === 'lost';

type Named = Pick<Sent, 'name' | 'text' | 'values'>;
/** With its values as they go over the wire. */
const readied = (what: Statement, params: readonly unknown[]): Named => {
  const { values, ...of } = queryOf(what, params);
  return { ...of, values: values.map((value) => prepareValue(value)) };
};
const nobody = (): void => {};
const unasked = (what: Named): Sent => ({ ...what, asks: false, done: nobody, failed: nobody });
/** Of a transaction; the text is the name. */
const control = (text: 'begin' | 'commit' | 'rollback'): Named => ({ name: text, text, values: [] });

const over = (): Error => new Error('this session is over');

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
 * for earlier answers, and those of one turn are one message for Postgres, with `begin` and `commit` where they belong to it.
 */
export class Connection implements Work {
  readonly #pool: pg.Pool;
  #scope: Scope;
  readonly #transaction: boolean;
  #opening: Promise<pg.PoolClient> | undefined;
  #client: pg.PoolClient | undefined;
  #over = false;
  #hasBegun = false;
  /** What leaves when this turn is over. */
  #sent: Sent[] = [];
  /** Batches on their way, and what became of others. */
  readonly #batches: Promise<void>[] = [];
  /** What the database refused first: it stores nothing. */
  #refusal: Error | undefined;
  #isBroken = false;
  readonly #deadline: number;
  #isLate = false;

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
    return (await this.#ask(readied(what, params), true)) as R[];
  }

  run(what: Statement, params: readonly unknown[]): void {
    // What becomes of it is seen by its batch. What cannot be sent at all is told at once.
    this.#ask(readied(what, params), false).catch(nobody);
  }

  async #ask(what: Named, asks: boolean): Promise<pg.QueryResultRow[]> {
    if (this.#client === undefined) await this.#open();
    if (this.#over) throw over();
    this.#requireTime();
    try {
      return await spannedSql(what.text, () => this.#answerTo(what, asks));
    } catch (error) {
      throw this.#whyNot(error);
    }
  }

  /** Behind a statement that was refused others are refused, too: that one says why, and whether another try may help. */
  #whyNot(error: unknown): unknown {
    return databaseFault(error) === undefined ? error : (this.#refusal ?? error);
  }

  #open(): Promise<pg.PoolClient> {
    if (this.#over) throw over();
    this.#opening ??= this.#take();
    return this.#opening;
  }

  async #take(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    this.#client = client;
    setDeadline(client, this.#deadline);
    if (this.#ownOrg === undefined) bindOrg(client, this.#scope === 'all orgs' ? '' : this.#scope.org_id);
    return client;
  }

  /** A transaction of an org binds itself, so that nothing of it is left behind. */
  get #ownOrg(): string | undefined {
    return this.#transaction && this.#scope !== 'all orgs' ? this.#scope.org_id : undefined;
  }

  #answerTo(what: Named, asks: boolean): Promise<pg.QueryResultRow[]> {
    if (this.#sent.length === 0) process.nextTick(() => this.#leave());
    return new Promise((done, failed) => {
      this.#sent.push({ ...what, asks, done, failed });
    });
  }

  /** Sends what was said in this turn, and `last`. */
  #leave(...last: readonly Sent[]): void {
    const sent = [...this.#sent, ...last];
    this.#sent = [];
    const client = this.#client;
    if (sent.length === 0 || client === undefined) return;
    if (this.#transaction && !this.#hasBegun) {
      this.#hasBegun = true;
      if (this.#ownOrg !== undefined) sent.unshift(unasked(readied(BIND_ORG, [this.#ownOrg])));
      sent.unshift(unasked(control('begin')));
    }
    const batch = new Promise<void>((resolve, reject) => {
      const ended = (error?: Error): void => (error === undefined ? resolve() : reject(this.#noted(error)));
      client.query(new Batch(sent, typesOf(client), ended));
    });
    batch.catch(nobody);
    this.#batches.push(batch);
  }

  #noted(error: Error): Error {
    if (databaseFault(error) !== undefined) this.#refusal ??= error;
    // A session that ends says so before its connection does.
    this.#isBroken ||= faultOf(error) === 'lost';
    return error;
  }

  /** Who was too late once stays so, whatever the clock does: what was not sent then may not be missing in a commit. */
  #requireTime(): void {
    this.#isLate ||= Date.now() > this.#deadline;
    if (this.#isLate) throw new Problem('timeout');
  }

  /** COMMIT went out and was not answered, and nothing says that it had to fail. */
  #isUnknown(commit: PromiseSettledResult<unknown> | undefined): boolean {
    if (!this.#transaction || commit?.status !== 'rejected' || this.#refusal !== undefined) return false;
    const { reason } = commit;
    return faultOf(reason) === 'lost' && !NOT_SENT.test(String(reason)) && !isEndedBefore(reason);
  }

  async commit(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening;
    this.#requireTime();
    let command = '';
    const commit = { ...unasked(control('commit')), done: (_rows: unknown, done: string) => void (command = done) };
    this.#leave(...(this.#transaction ? [commit] : []));
    this.#over = true;
    const batches = await spannedSql('commit', () => Promise.allSettled(this.#batches));
    const failed = batches.findLast((batch) => batch.status === 'rejected');
    await this.#giveBack(client, failed !== undefined);
    if (failed !== undefined)
      throw this.#isUnknown(batches.at(-1)) ? new OutcomeUnknown(failed.reason) : this.#whyNot(failed.reason);
    if (this.#transaction && command !== 'COMMIT') throw new Error('the transaction was rolled back by the database');
  }

  async abandon(): Promise<void> {
    if (this.#opening === undefined || this.#over) return;
    const client = await this.#opening.catch(() => undefined);
    if (client === undefined) return;
    this.#over = true;
    for (const { failed } of this.#sent.splice(0)) failed(over());
    await this.#giveBack(client, true);
  }

  /** Nobody can go on with a connection that does not roll back. Behind what has failed nothing is done, COMMIT neither. */
  async #giveBack(client: pg.PoolClient, rollsBack: boolean): Promise<void> {
    const isRolledBack = rollsBack && this.#hasBegun;
    if (isRolledBack) this.#leave(unasked(control('rollback')));
    const last = (await Promise.allSettled(this.#batches)).at(-1);
    if (isRolledBack && last?.status === 'rejected') this.#isBroken = true;
    this.#client = undefined;
    setDeadline(client, Infinity);
    client.release(this.#isBroken);
  }
}
