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
import {
  type CursorPurpose,
  cursorPurpose,
  type ReadYourWrites,
  readCursor,
  readWriteToken,
  signCursor,
} from './tokens.ts';
import type { Outbox } from './transactions.ts';

/** The caller, from the verified token. */
export interface Caller {
  readonly org_id: string;
  readonly user_id: string;
  readonly roles: readonly Role[];
  readonly request_id: string;
  readonly ip: string | undefined;
  /** The guardian who makes the call, if the call is performed as their child. */
  readonly guardian?: Guardianship | undefined;
}

/** The guardian who acts as a student. */
export interface Guardianship {
  readonly user_id: string;
  /** Whether the guardian may see payments. */
  readonly money: boolean;
}

export const isSupervisor = (caller: Caller): boolean => caller.roles.includes('SUPERVISOR');
export const isStaff = (caller: Caller): boolean => isSupervisor(caller) || caller.roles.includes('TEACHER');

/** Emits the events of all items that were collected for it. Called once, just before the commit. */
export type EventPublisher<T> = (session: Session, items: readonly T[]) => void;

/** Does work in a separate transaction. Retries after a lost race. */
export type OwnTransaction = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** The parts of a declared call that a session needs. */
export type SessionCall = Pick<AnyCall, 'id' | 'roles' | 'access' | 'writes' | 'audited' | 'errors'> &
  Partial<Pick<AnyCall, 'scope'>>;

interface SessionParts {
  call: SessionCall;
  head: IdentifiedHead;
  actor: Pick<Caller, 'user_id' | 'roles' | 'guardian'>;
  now: Date;
  connection: StatementRunner;
  outbox: Outbox;
  peers: Peers;
  references: References;
  deletion: AnnouncedDeletion;
  signer: Signer;
  readYourWrites: ReadYourWrites;
  peek: <R>(query: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
  takeHeavySlot: () => Promise<void>;
  inOwnTransaction: OwnTransaction;
}

/**
 * The context of a handler: the caller, the time, and a database session that is bound to one tenant. A write is one
 * transaction. It commits after the handler returned, together with the emitted events.
 */
export class Session {
  #caller: Caller;
  /** Decides which records the caller may access. A handler has to check it if its call limits a role. */
  readonly access: AccessFilter;
  readonly now: Date;
  /** Milliseconds of `performance.now()` after which the caller no longer waits. */
  readonly deadline: number;
  /** Calls to other services. Allowed only before the first statement, so that no transaction waits for the network. */
  readonly peers: Peers;
  /** Checks with other services the records whose ids will be stored, so that none is deleted in the meantime. */
  readonly references: References;
  /** Deletes records that other services may refer to. */
  readonly deletion: AnnouncedDeletion;
  /** The consistency token of the request. */
  readonly consistency_token: string | undefined;
  /** The content type that the caller prefers to JSON. */
  readonly accept: string | undefined;
  /** `If-None-Match` of a caller that has a copy. */
  readonly if_none_match: string | undefined;
  /** `If-Modified-Since` of a caller that has a copy. */
  readonly if_modified_since: string | undefined;
  readonly #call: SessionCall;
  readonly #head: IdentifiedHead;
  readonly #connection: StatementRunner;
  readonly #outbox: Outbox;
  readonly #signer: Signer;
  readonly #inclusion: ReadYourWrites;
  readonly #peek: <R>(query: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
  readonly #takeHeavySlot: () => Promise<void>;
  readonly #inOwnTransaction: OwnTransaction;
  readonly #afterCommit: (() => void)[] = [];
  /** The work of `addFollowUp`, for the code that committed the transaction. */
  readonly followUps: ((session: Session) => Promise<void>)[] = [];
  readonly #unpublished = new Map<EventPublisher<never>, unknown[]>();

  constructor(parts: SessionParts) {
    const { head, actor } = parts;
    this.#call = parts.call;
    this.#head = head;
    this.#connection = parts.connection;
    this.#outbox = parts.outbox;
    this.#signer = parts.signer;
    this.#inclusion = parts.readYourWrites;
    this.#peek = parts.peek;
    this.#takeHeavySlot = parts.takeHeavySlot;
    this.#inOwnTransaction = parts.inOwnTransaction;
    this.#caller = {
      org_id: head.org_id,
      user_id: actor.user_id,
      roles: actor.roles,
      guardian: actor.guardian,
      request_id: head.request_id,
      ip: head.ip,
    };
    this.access = new AccessFilter(parts.call, actor);
    this.now = parts.now;
    this.deadline = head.deadline;
    this.peers = parts.peers;
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

  /** The id of the acting person: the guardian if the call is performed as their child, else the caller. */
  get actor_id(): string {
    return this.#caller.guardian?.user_id ?? this.#caller.user_id;
  }

  /** The roles in which that person acts. */
  get actor_roles(): readonly Role[] {
    return this.#caller.guardian === undefined ? this.#caller.roles : ['GUARDIAN'];
  }

  get org_id(): string {
    return this.#caller.org_id;
  }

  /**
   * The access of the caller in another call, for fields of an answer that only callers of that call may see. The
   * handler still has to check `access`.
   */
  accessIn(call: AnyCall): AccessFilter {
    return new AccessFilter(call, this.#caller);
  }

  /**
   * For calls of `anyone`: sets the org, and then the person, that a secret in the request names. The org has to be set
   * before the first statement and does not change.
   */
  actFor(org_id: string, user_id = ''): void {
    if (this.#call.roles !== 'anyone') throw new Error(`${this.#call.id} already has a caller`);
    this.#connection.bind(org_id);
    this.#caller = { ...this.#caller, org_id, user_id };
  }

  /**
   * Whether the write of the consistency token in the request is applied in this service. Waits up to two seconds. True
   * without a token. Call it before the first statement, so that the wait holds no connection.
   */
  async includesWrite(): Promise<boolean> {
    if (this.consistency_token === undefined) return true;
    return this.#inclusion.includes(readWriteToken(this.#signer, this.org_id, this.consistency_token), this.org_id);
  }

  /**
   * Takes the slot of heavy requests, for work that reads much or needs much CPU. Heavy requests run one at a time,
   * organizations in turn, half of the time at most. Call it again between parts of the work. Refuses with 503 after
   * too long a wait.
   */
  takeHeavySlot(): Promise<void> {
    return this.#takeHeavySlot();
  }

  /**
   * Does one part of a call in a separate transaction, which stays committed even if later parts or the call fail. For
   * `prepare`, one part after the other. A repeated call must not change anything more.
   */
  inOwnTransaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inOwnTransaction(work);
  }

  /** Sends a statement and returns its rows. Statements that are sent without `await` are sent in one packet. */
  query<R, P extends readonly unknown[]>(query: Statement<R, P>, ...params: P): Promise<R[]> {
    return this.#connection.query(query, params);
  }

  async queryOne<R, P extends readonly unknown[]>(query: Statement<R, P>, ...params: P): Promise<R | undefined> {
    return (await this.#connection.query(query, params))[0];
  }

  /** Reads one row of a table. `key`: the columns of the primary key after the org. */
  find<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): Promise<Row<Table<S>> | undefined> {
    return this.queryOne(table.read, this.org_id, ...key);
  }

  /** Reads one row and locks it until the transaction ends. */
  lock<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): Promise<Row<Table<S>> | undefined> {
    return this.queryOne(table.lock, this.org_id, ...key);
  }

  /** Inserts rows, without waiting. A failure fails the commit. */
  insert<S extends Shape>(table: Table<S>, ...rows: readonly StoredRow<Table<S>>[]): void {
    insertRows(this.#connection, table, rows);
  }

  /** Updates rows by their keys, without waiting: all columns, or all but those that `updateWithout` names. */
  update<S extends Shape>(table: RowUpdate<S>, ...rows: readonly Readonly<RowOf<S>>[]): void {
    updateRows(this.#connection, table, rows);
  }

  /** Deletes one row, without waiting. `key`: the columns of the primary key after the org. */
  remove<S extends Shape>(table: Table<S>, ...key: readonly (string | number)[]): void {
    this.run(table.remove, this.org_id, ...key);
  }

  /**
   * One read on another connection, which is released at once. For a `prepare` step that has to read before it calls a
   * peer service. The rows may have changed when the handler runs.
   */
  peek<R, P extends readonly unknown[]>(query: Statement<R, P>, ...params: P): Promise<R[]> {
    return this.#peek(query, params);
  }

  /** The same for one row of a table. `key`: the columns of the primary key after the org. */
  async peekRow<S extends Shape>(
    table: Table<S>,
    ...key: readonly (string | number)[]
  ): Promise<Row<Table<S>> | undefined> {
    return (await this.#peek(table.read, [this.org_id, ...key]))[0];
  }

  /** Sends a statement without waiting. A failure fails the commit. */
  run<P extends readonly unknown[]>(query: Statement<unknown, P>, ...params: P): void {
    this.#connection.run(query, params);
  }

  emit<E extends EventDef>(event: E, aggregate_id: string, data: EventData<E>): void {
    if (!this.#call.writes && !this.#call.audited)
      throw new Error(`${this.#call.id} is declared as a read but emits ${event.type}`);
    const { org_id, request_id } = this.#caller;
    this.#outbox.add({ org_id, user_id: this.actor_id, request_id }, event, aggregate_id, data);
  }

  /**
   * Collects items for an event. `publish` is called once, after the handler returned and just before the commit, with
   * all items that were collected for it. So a transaction emits one event of a kind.
   */
  publishOnCommit<T>(publish: EventPublisher<T>, items: readonly T[]): void {
    const collected = this.#unpublished.get(publish) as T[] | undefined;
    if (collected !== undefined) collected.push(...items);
    else if (items.length > 0) this.#unpublished.set(publish, [...items]);
  }

  /** Calls the collected publishers. Called once, by the code that ends the transaction. */
  publishCollected(): void {
    for (const [publish, items] of this.#unpublished) (publish as EventPublisher<unknown>)(this, items);
  }

  /**
   * Runs `work` in this process after the commit, and not if the commit fails. It is lost if the process ends: work
   * that must not be lost belongs in the transaction.
   */
  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  /**
   * Adds work for a transaction of its own, after this one has committed and before the call is answered. So the locks of
   * this transaction are free. A failure is logged and does not fail the call, and the work is lost if the process ends:
   * a job has to repeat it.
   */
  addFollowUp(work: (session: Session) => Promise<void>): void {
    this.followUps.push(work);
  }

  /** Runs the work of `afterCommit`. Called once, by the code that committed the transaction. */
  runAfterCommit(): void {
    for (const work of this.#afterCommit) work();
  }

  /** Applies `If-Match`: refuses with 412 if the caller has another version (RFC 9110 §13.1.1). */
  checkVersion(version: number): void {
    if (!this.#call.errors?.includes('version_mismatch'))
      throw new Error(`${this.#call.id} checks If-Match, but its contract does not declare version_mismatch`);
    const wanted = this.#head.if_match;
    if (wanted === undefined || wanted.trim() === '*') return;
    const tags = wanted.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (!tags.includes(`"${version}"`)) throw new Problem('version_mismatch', `The current version is ${version}`);
  }

  /** The position of a list cursor. Refuses with 400 a cursor of another org or list. */
  readCursor(cursor: string | undefined, list: string): CursorKey | null {
    return cursor === undefined ? null : readCursor(this.#signer, this.#cursorPurpose(list), cursor);
  }

  signCursor(key: CursorKey, list: string): string {
    return signCursor(this.#signer, this.#cursorPurpose(list), key);
  }

  /** Names the secrets that sign cursors. It is part of the key of a cached answer that contains a cursor. */
  get cursor_secrets(): string {
    return this.#signer.secrets_fingerprint;
  }

  /** A new secret that names the org, for a link that works without a login. */
  makeSecretLink(): string {
    return makeSecretLink(this.#signer, this.org_id);
  }

  #cursorPurpose(list: string): CursorPurpose {
    return { call: cursorPurpose(this.#call, this.org_id), list };
  }
}
