import { setTimeout } from 'node:timers/promises';
import { type EventData, type EventDef, Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import type { Signer } from '../base/signer.ts';
import { Connection, type StatementRunner } from '../db/connection.ts';
import { databaseFault } from '../db/database-fault.ts';
import { isEarlyTimeout } from '../db/early-timeout.ts';
import type { SharedReads } from '../db/shared-reads.ts';
import { Reader, SnapshotReader } from '../db/reader.ts';
import type { Statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import type { Actor } from './acting-for.ts';
import type { Slot } from './admission-queue.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { callService, type Peers } from './call-service.ts';
import { AnnouncedDeletion, DeletionExpired } from './announced-deletion.ts';
import { ExistenceCache, References } from './peer-references.ts';
import type { Requester } from './requester.ts';
import { type OwnTransaction, Session, type SessionCall } from './session.ts';
import type { ReadYourWrites } from './tokens.ts';

/** The person and the request that caused an event. */
export interface Origin {
  org_id: string;
  user_id: string;
  request_id: string;
}

/** The events of one transaction, stored with it: all of them or none. */
export interface Outbox {
  readonly tx_id: string;
  readonly count: number;
  /** How many of the events are followed by other services. */
  readonly feedingCount: number;
  /** Followers receive the events of one aggregate (`aggregate_id`) in the order in which they were emitted. */
  add<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void;
  /** Sends the statements that store the events, just before the commit. */
  write(connection: StatementRunner): void;
}

/**
 * SQLSTATEs of lost races, after which a retry may succeed: serialization failure, deadlock, and exclusion violation.
 * After an exclusion violation, the retry sees the rows of the other transaction and can name them in its refusal.
 */
const RETRIED_STATES = new Set(['40001', '40P01', '23P01']);
const TRIES = 4;
/**
 * The longest pause before the first retry. It grows with each retry and is random, so that two calls do not collide
 * again.
 */
const BACKOFF_MS = 10;

/** The audit entry of a read could not be stored, so the read is not answered. It may be repeated. */
export class UnauditedRead extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'The audit entry of this read could not be stored');
    this.cause = cause;
  }
}

const causeOf = (error: unknown): unknown => (error instanceof UnauditedRead ? error.cause : error);

/** Whether another transaction was first, and a retry may succeed. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof DeletionExpired || RETRIED_STATES.has(databaseFault(causeOf(error))?.code ?? '');

/** Whether a retry of a transaction that was in progress for so long may succeed. */
const mayRetry = (error: unknown, took_ms: number): boolean =>
  isLostRace(error) || isEarlyTimeout(causeOf(error), took_ms);

/** Does the work of a transaction, and retries it after a lost race or an early timeout: four tries at most. */
export const retryTransaction = async <T>(work: () => Promise<T>, isRetried = mayRetry): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    const begun = performance.now();
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !isRetried(error, performance.now() - begun)) throw error;
      record.retry(databaseFault(causeOf(error))?.code ?? 'ran_out');
      await setTimeout(Math.random() * BACKOFF_MS * tries);
    }
  }
};

export interface TransactionDeps {
  pool: pg.Pool;
  reads: SharedReads;
  /** Whether all statements of a read see the same snapshot. */
  snapshots: boolean;
  /** The pool for calls across all orgs. */
  workers: pg.Pool;
  requester: Requester;
  signer: Signer;
  readYourWrites: ReadYourWrites;
  /** Creates the outbox of a transaction that begins at `now`. */
  outbox: (now: Date) => Outbox;
  clock: () => Date;
  /** Called after a write that emitted events has committed. */
  onEvents: () => void;
  log: Logger;
}

/** A call as it arrived. */
export interface ReceivedCall {
  head: IdentifiedHead;
  body: Buffer;
  /** The service that sent the call. The broker has authenticated it. */
  from: string;
  slot: Slot;
}

/** A call, and the person as whom it is performed. */
export interface ReceivedCallWithActor extends ReceivedCall {
  actor: Actor;
}
/** The parts of it that a session needs. */
type ActingCall = Pick<ReceivedCallWithActor, 'head' | 'actor'> & {
  slot: Pick<Slot, 'releaseDuring' | 'takeHeavySlot'>;
};

/** A job acts in an organization like a call that changes data, in the name of the system. */
const JOB: SessionCall = { id: 'job', roles: 'service', access: null, writes: true, audited: false, errors: [] };
const SYSTEM: Actor = { user_id: 'system', roles: [] };
/** The longest time for one transaction of a job, with its retries. */
const JOB_MS = 10_000;
/** Jobs run one after the other, so they need no slot. */
const NO_SLOT: ActingCall['slot'] = { releaseDuring: (work) => work(), takeHeavySlot: async () => {} };

/**
 * Runs work of a job for one organization in a transaction of its own, with the role of requests: it reaches no rows of
 * other organizations. Retries after a lost race.
 */
export type RunInOrganization = <T>(org_id: string, work: (session: Session) => Promise<T>) => Promise<T>;

/** The timeout for removing the deletion mark of a failed call, whose own deadline may have passed. */
const CLEANUP_MS = 5_000;

/** One transaction or read: its time, connection and events. */
interface Transaction {
  readonly now: Date;
  readonly connection: StatementRunner;
  readonly outbox: Outbox;
}

/** Connects calls with the database: chooses connections, creates sessions, and ends transactions. */
export const createTransactions = (deps: TransactionDeps) => {
  const existing = new ExistenceCache();

  const connect = (call: SessionCall, { org_id, deadline }: IdentifiedHead, transaction: boolean): StatementRunner => {
    if (call.scope === 'all orgs') return new Connection(deps.workers, 'all orgs', transaction, deadline);
    if (transaction) return new Connection(deps.pool, { org_id }, true, deadline);
    return new (deps.snapshots ? SnapshotReader : Reader)(deps.reads, org_id, deadline);
  };

  const peekIn =
    (call: SessionCall, head: IdentifiedHead) =>
    async <R>(query: Statement<R>, params: readonly unknown[]): Promise<R[]> => {
      const connection = connect(call, head, false);
      try {
        return await connection.query(query, params);
      } finally {
        await connection.abandon();
      }
    };

  /** Runs and commits one statement on another connection. It stays stored if the call fails. */
  const runSeparately = async (org_id: string, query: Statement, params: readonly unknown[]): Promise<void> => {
    const deadline = performance.now() + CLEANUP_MS;
    await retryTransaction(async () => {
      const connection = new Connection(deps.pool, { org_id }, true, deadline);
      connection.run(query, params);
      await connection.commit();
    });
  };

  /** Calls to other services. They throw inside a transaction, which must not wait for the network. */
  const peersOf = (call: SessionCall, head: IdentifiedHead, connection: StatementRunner): Peers => ({
    call: async (peerCall, body) => {
      if (connection.isOpen) throw new Error(`${call.id} calls another service inside its transaction`);
      return callService({ requester: deps.requester, head }, peerCall, body);
    },
  });

  const sessionOn = (
    call: SessionCall,
    { head, slot, actor }: ActingCall,
    { connection, outbox, now }: Transaction,
    inOwnTransaction: OwnTransaction,
  ): Session => {
    const peek = peekIn(call, head);
    const common = {
      org_id: () => head.org_id,
      connection,
      releaseDuring: <T>(work: () => Promise<T>): Promise<T> => slot.releaseDuring(work),
    };
    return new Session({
      call,
      head,
      actor,
      now,
      connection,
      outbox,
      signer: deps.signer,
      readYourWrites: {
        includes: (write, org_id) => slot.releaseDuring(() => deps.readYourWrites.includes(write, org_id)),
      },
      peek,
      references: new References({ ...common, deadline: head.deadline, existing, peek }),
      deletion: new AnnouncedDeletion({
        ...common,
        runSeparately: (query, params) => runSeparately(head.org_id, query, params),
      }),
      takeHeavySlot: () => slot.takeHeavySlot(),
      inOwnTransaction,
      peers: peersOf(call, head, connection),
    });
  };

  const begin = (call: SessionCall, head: IdentifiedHead, transaction: boolean): Transaction => {
    const now = deps.clock();
    return { now, outbox: deps.outbox(now), connection: connect(call, head, transaction) };
  };

  /** Sends the events of the handler and the final checks of references. Resolves when the commit may be sent. */
  const finish = (session: Session, { outbox, connection }: Transaction): Promise<void> => {
    const confirmed = session.deletion.confirm();
    confirmed.catch(() => {});
    session.publishCollected();
    outbox.write(connection);
    session.references.confirm();
    return confirmed;
  };

  const commit = async (session: Session, { outbox, connection }: Transaction): Promise<void> => {
    await connection.commit();
    session.runAfterCommit();
    if (outbox.count > 0) deps.onEvents();
  };

  /**
   * Runs parts of a call in separate transactions, and the follow-ups of transactions that have committed. After a lost
   * race, only that part is retried. `lastFeeding` is the outbox of the last part with events that other services follow.
   */
  const partsOf = (call: SessionCall, performed: ActingCall, whole: Transaction) => {
    let lastFeeding: Outbox | undefined;

    const attemptPart = async <T>(work: (session: Session) => Promise<T>): Promise<[T, Session]> => {
      const part = begin(call, performed.head, true);
      const session = sessionOn(call, performed, part, () => {
        throw new Error(`${call.id} begins a separate transaction inside one of its parts`);
      });
      try {
        const result = await work(session);
        await finish(session, part);
        await commit(session, part);
        if (part.outbox.feedingCount > 0) lastFeeding = part.outbox;
        return [result, session];
      } catch (error) {
        await part.connection.abandon();
        if (isLostRace(error)) session.references.forgetCached();
        throw error;
      }
    };

    const runPart: OwnTransaction = async (work) => {
      const [result, session] = await retryTransaction(() => attemptPart(work), call === JOB ? isLostRace : mayRetry);
      await runFollowUps(session);
      return result;
    };

    const runFollowUps = async (session: Session): Promise<void> => {
      for (const work of session.followUps) {
        try {
          await runPart(work);
        } catch (error) {
          const { request_id, org_id } = performed.head;
          deps.log.warn({ err: error, call: call.id, request_id, org_id }, 'a follow-up failed and is left to its job');
        }
      }
    };

    const run: OwnTransaction = (work) => {
      if (!call.writes) throw new Error(`${call.id} is declared as a read but begins a separate transaction`);
      if (whole.connection.isOpen)
        throw new Error(`${call.id} begins a separate transaction inside its own transaction`);
      return runPart(work);
    };
    return { run, runFollowUps, lastFeeding: () => lastFeeding };
  };

  const inOrganization: RunInOrganization = (org_id, work) => {
    const head = { org_id, ...SYSTEM, request_id: newId(), deadline: performance.now() + JOB_MS };
    return partsOf(JOB, { head, actor: SYSTEM, slot: NO_SLOT }, begin(JOB, head, true)).run(work);
  };

  return { connect, peekIn, begin, sessionOn, partsOf, finish, commit, inOrganization };
};
