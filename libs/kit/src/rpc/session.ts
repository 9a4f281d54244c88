import { type AnyCall, type EventData, type EventDef, Problem, type Role } from '@teaching/contracts';
import { makeSecretLink } from '../base/secret-link.ts';
import type { Signer } from '../base/signer.ts';
import type { StatementRunner } from '../db/connection.ts';
import type { CursorKey } from '../db/keyset-list.ts';
import type { RowOf, Shape } from '../db/columns.ts';
import type { Statement } from '../db/statement.ts';
import { insertRows, type Row, type Table, type RowUpdate, updateRows, type StoredRow } from '../db/table.ts';
import { AccessFilter } from './access-filter.ts';
import type { IdentifiedHead } from './call-identity.ts';
import type { Peers } from './call-service.ts';
import type { AnnouncedDeletion } from './announced-deletion.ts';
import type { References } from './peer-references.ts';
import { type Inclusion, readCursor, readWriteToken, signCursor } from './tokens.ts';
import type { Outbox } from './transactions.ts';

/** Who calls, as the verified token says. */
export interface Caller {
  readonly org_id: string;
  readonly user_id: string;
  readonly roles: readonly Role[];
  readonly request_id: string;
  readonly ip: string | undefined;
  /** Who really calls, where a guardian is seen as their child. */
  readonly guardian?: Guardianship | undefined;
}

/** A guardian of the student as whom they are seen, and whether they may see what was paid. */
export interface Guardianship {
  readonly user_id: string;
  readonly money: boolean;
}

export const isSupervisor = (caller: Caller): boolean => caller.roles.includes('SUPERVISOR');
export const isStaff = (caller: Caller): boolean => isSupervisor(caller) || caller.roles.includes('TEACHER');

/** Emits the events of all items that a transaction collected for it. Runs once, just before the commit. */
export type EventPublisher<T> = (session: Session, items: readonly T[]) => void;

/** Performs work in a transaction of its own; a lost race is tried again. */
export type OwnTransaction = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * What a handler works with: the caller, the time, and one tenant-bound use of the database. In a
 * write everything is one transaction that commits after the handler returned; events emitted in it
 * are stored with it.
 */
export class Session {
  #caller: Caller;
  /** What of the call's things is the caller's; every handler asks whose call says so. */
  readonly reach: AccessFilter;
  readonly now: Date;
  /** Epoch milliseconds after which the caller waits no longer. */
  readonly deadline: number;
  /** Calls to other services. Only before the first statement: nobody waits for a network in a transaction. */
  readonly neighbours: Peers;
  /** Asks other services about their things before their ids are stored, so that none is deleted meanwhile. */
  readonly references: References;
  /** For deleting what other services may refer to. */
  readonly deletion: AnnouncedDeletion;
  /** The consistency token the caller sent along. */
  readonly consistency_token: string | undefined;
  /** Another content type the caller prefers over JSON. */
  readonly accept: string | undefined;
  /** `If-None-Match` of a caller that holds a copy. */
  readonly if_none_match: string | undefined;
  /** `If-Modified-Since` of a caller that holds a copy. */
  readonly if_modified_since: string | undefined;
  readonly #call: AnyCall;
  readonly #head: IdentifiedHead;
  readonly #connection: StatementRunner;
  readonly #outbox: Outbox;
  readonly #signer: Signer;
  readonly #inclusion: Inclusion;
  readonly #peek: <R>(what: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
  readonly #takeWideTurn: () => Promise<void>;
  readonly #inOwnTransaction: OwnTransaction;
  readonly #afterCommit: (() => void)[] = [];
  readonly #unpublished = new Map<EventPublisher<never>, unknown[]>();

  constructor(parts: {
    call: AnyCall;
    head: IdentifiedHead;
    as: Pick<Caller, 'user_id' | 'roles' | 'guardian'>;
    now: Date;
    connection: StatementRunner;
    outbox: Outbox;
    neighbours: Peers;
    references: References;
    deletion: AnnouncedDeletion;
    signer: Signer;
    inclusion: Inclusion;
    peek: <R>(what: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
    takeWideTurn: () => Promise<void>;
    inOwnTransaction: OwnTransaction;
  }) {
    const { head, as } = parts;
    this.#call = parts.call;
    this.#head = head;
    this.#connection = parts.connection;
    this.#outbox = parts.outbox;
    this.#signer = parts.signer;
    this.#inclusion = parts.inclusion;
    this.#peek = parts.peek;
    this.#takeWideTurn = parts.takeWideTurn;
    this.#inOwnTransaction = parts.inOwnTransaction;
    this.#caller = {
      org_id: head.org_id,
      user_id: as.user_id,
      roles: as.roles,
      guardian: as.guardian,
      request_id: head.request_id,
      ip: head.ip,
    };
    this.reach = new AccessFilter(parts.call, as);
    this.now = parts.now;
    this.deadline = head.deadline;
    this.neighbours = parts.neighbours;
    this.references = parts.references;
    this.deletion = parts.deletion;
    this.consistency_token = head.consistency_token;
    this.accept = head.accept;
    this.if_none_match = head.if_none_match;
    this.if_modified_since = head.if_modified_since;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Who does what is done: the guardian, where one is seen as their child. */
  get actor_id(): string {
    return this.#caller.guardian?.user_id ?? this.#caller.user_id;
  }

  /** As what they do it. */
  get actor_roles(): readonly Role[] {
    return this.#caller.guardian === undefined ? this.#caller.roles : ['GUARDIAN'];
  }

  get org_id(): string {
    return this.#caller.org_id;
  }

  /**
   * The reach of the caller in another call: for members of an answer that only the callers of that call may see. It does not
   * replace `reach`, which the handler still has to ask.
   */
  reachOf(call: AnyCall): AccessFilter {
    return new AccessFilter(call, this.#caller);
  }

  /**
   * In a call of `anyone`: takes on the org, and then the person, that a secret in the request stands for.
   * The org has to be known before the first statement and stays.
   */
  actFor(org_id: string, user_id = ''): void {
    if (this.#call.roles !== 'anyone') throw new Error(`${this.#call.id} has a caller of its own`);
    this.#connection.bind(org_id);
    this.#caller = { ...this.#caller, org_id, user_id };
  }

  /**
   * Whether the write whose consistency token the caller sent is applied in this service; waits for it, up
   * to two seconds. True without a token. Ask before the first statement: waiting holds no connection.
   */
  async includesWrite(): Promise<boolean> {
    if (this.consistency_token === undefined) return true;
    return this.#inclusion.includes(readWriteToken(this.#signer, this.org_id, this.consistency_token), this.org_id);
  }

  /**
   * For what follows, which reads much or takes the processor for long: only one such call goes on at a time, half of the
   * time at most, and those of different organizations take turns. Between parts of it, ask again. Refused with 503 when
   * it takes too long.
   */
  takeWideTurn(): Promise<void> {
    return this.#takeWideTurn();
  }

  /**
   * One part of a call that has many, in a transaction of its own: it stands whatever becomes of the others. For a `prepare`
   * step, one part after the other; doing such a call again must change nothing more.
   */
  inOwnTransaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inOwnTransaction(work);
  }

  /** Sends a statement and waits for its rows. Several sent without awaiting travel together. */
  query<R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P): Promise<R[]> {
    return this.#connection.query(what, params);
  }

  async one<R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P): Promise<R | undefined> {
    return (await this.#connection.query(what, params))[0];
  }

  /** One row of a table by the rest of its key, which begins with the org. */
  find<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): Promise<Row<Table<S>> | undefined> {
    return this.one(table.read, this.org_id, ...key);
  }

  /** The same, held until the transaction ends. */
  lock<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): Promise<Row<Table<S>> | undefined> {
    return this.one(table.lock, this.org_id, ...key);
  }

  /** Stores new rows, without waiting. */
  insert<S extends Shape>(table: Table<S>, ...rows: readonly StoredRow<Table<S>>[]): void {
    insertRows(this.#connection, table, rows);
  }

  /** Replaces rows by their keys, without waiting: of a table, or but for the columns that `updateWithout` names. */
  update<S extends Shape>(table: RowUpdate<S>, ...rows: readonly Readonly<RowOf<S>>[]): void {
    updateRows(this.#connection, table, rows);
  }

  /** Removes one row by the rest of its key, without waiting. */
  remove<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): void {
    this.run(table.remove, this.org_id, ...key);
  }

  /**
   * One read on a connection of its own, given back at once: for a `prepare` step that must look something
   * up before it knows what to ask a neighbour. What it read may have changed when the handler runs.
   */
  peek<R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P): Promise<R[]> {
    return this.#peek(what, params);
  }

  /** The same of one row of a table by the rest of its key. */
  async peekAt<S extends Shape>(
    table: Table<S>,
    ...key: readonly (string | number)[]
  ): Promise<Row<Table<S>> | undefined> {
    return (await this.#peek(table.read, [this.org_id, ...key]))[0];
  }

  /** Sends a statement without waiting; if it fails, the commit fails. */
  run<P extends readonly unknown[]>(what: Statement<unknown, P>, ...params: P): void {
    this.#connection.run(what, params);
  }

  emit<E extends EventDef>(event: E, aggregate_id: string, data: EventData<E>): void {
    if (!this.#call.writes && !this.#call.audited)
      throw new Error(`${this.#call.id} is declared as a read but emits ${event.type}`);
    const { org_id, request_id } = this.#caller;
    this.#outbox.add({ org_id, user_id: this.actor_id, request_id }, event, aggregate_id, data);
  }

  /**
   * Runs at commit: `publish` is called once, after the handler returned and just before the transaction commits, with the
   * items of all calls that named it. So a transaction emits one event of a kind.
   */
  publishOnCommit<T>(publish: EventPublisher<T>, items: readonly T[]): void {
    const collected = this.#unpublished.get(publish) as T[] | undefined;
    if (collected !== undefined) collected.push(...items);
    else if (items.length > 0) this.#unpublished.set(publish, [...items]);
  }

  /** Runs the publishers. Called once, by the code that ends the transaction. */
  publishCollected(): void {
    for (const [publish, items] of this.#unpublished) (publish as EventPublisher<unknown>)(this, items);
  }

  /** Runs `work` in this process once the transaction has committed, never when the commit fails. It may be lost: what must happen belongs into the transaction. */
  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  /** Runs that work. Called once, by the code that committed the transaction. */
  runAfterCommit(): void {
    for (const work of this.#afterCommit) work();
  }

  /** Honours `If-Match`: refuses with 412 when the caller saw another version (RFC 9110 §13.1.1). */
  checkVersion(version: number): void {
    if (!this.#call.errors?.includes('version_mismatch'))
      throw new Error(`${this.#call.id} honours If-Match without saying so`);
    const wanted = this.#head.if_match;
    if (wanted === undefined || wanted.trim() === '*') return;
    const tags = wanted.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (!tags.includes(`"${version}"`)) throw new Problem('version_mismatch', `The current version is ${version}`);
  }

  /** The position a list cursor stands for; a cursor of another org or list is refused with 400. */
  openCursor(cursor: string | undefined, list: string): CursorKey | null {
    return cursor === undefined ? null : readCursor(this.#signer, this.#cursorPurpose(list), cursor);
  }

  sealCursor(key: CursorKey, list: string): string {
    return signCursor(this.#signer, this.#cursorPurpose(list), key);
  }

  /** The secrets by which cursors are sealed and opened; part of the key of a cached answer that contains one. */
  get cursor_secrets(): string {
    return this.#signer.secrets_fingerprint;
  }

  /** A new secret that names the org, for an address that speaks for somebody. */
  makeSecretLink(): string {
    return makeSecretLink(this.#signer, this.org_id);
  }

  #cursorPurpose(list: string): string {
    return `cursor ${this.#call.id} ${this.org_id} ${list}`;
  }
}
