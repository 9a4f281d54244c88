import { setTimeout } from 'node:timers/promises';
import { type AnyCall, type EventData, type EventDef, Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Signer } from '../base/signer.ts';
import { Connection, type StatementRunner } from '../db/connection.ts';
import { databaseFault } from '../db/database-fault.ts';
import type { SharedReads } from '../db/shared-reads.ts';
import { Reader, SnapshotReader } from '../db/reader.ts';
import type { Statement } from '../db/statement.ts';
import { record } from '../telemetry/metrics.ts';
import type { ActingAs } from './acting-for.ts';
import type { Slot } from './admission-queue.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { callService, type Peers } from './call-service.ts';
import { AnnouncedDeletion, DeletionExpired } from './announced-deletion.ts';
import { ExistenceCache, References } from './peer-references.ts';
import type { Requester } from './requester.ts';
import { type OwnTransaction, Session } from './session.ts';
import type { Inclusion } from './tokens.ts';

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
  /** How many of them feed other services. */
  readonly feeding: number;
  /** `aggregate_id` orders: events of one aggregate reach followers in the order they were emitted. */
  add<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void;
  /** Sends the statements that store them, just before the commit. */
  write(connection: StatementRunner): void;
}

/**
 * Lost races that a second try resolves: serialization failure, deadlock, and an exclusion constraint that
 * another transaction was first to fill (the second try sees its rows and can name them).
 */
const RETRIED = new Set(['40001', '40P01', '23P01']);
const TRIES = 4;
/** The pause before another try: longer each time, and random, so that two calls do not collide again. */
const AGAIN_MS = 10;

/** The entry of a read in the audit trail could not be stored, so the read is not answered. It may be repeated. */
export class UnrecordedRead extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'The read could not be put on the audit trail');
    this.cause = cause;
  }
}

/** Whether another try may succeed. */
export const isLostRace = (error: unknown): boolean => {
  const fault = databaseFault(error instanceof UnrecordedRead ? error.cause : error);
  return error instanceof DeletionExpired || RETRIED.has(fault?.code ?? '');
};

/** Performs the work, and repeats it after a lost race. */
export const retryLostRaces = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !isLostRace(error)) throw error;
      record.retry(databaseFault(error)?.code ?? 'ran_out');
      await setTimeout(Math.random() * AGAIN_MS * tries);
    }
  }
};

export interface TransactionDeps {
  pool: pg.Pool;
  reads: SharedReads;
  /** Whether all statements of a read see one moment. */
  snapshots: boolean;
  /** For calls across all orgs. */
  workers: pg.Pool;
  requester: Requester;
  signer: Signer;
  inclusion: Inclusion;
  /** Collects the events of a transaction that begins at `now`. */
  outbox: (now: Date) => Outbox;
  clock: () => Date;
  /** Called after a write that emitted events has committed. */
  onEvents: () => void;
}

/** One call as it arrived. */
export interface Performed {
  head: IdentifiedHead;
  body: Buffer;
  /** Which service asks, as the broker proved. */
  from: string;
  slot: Pick<Slot, 'aside' | 'takeWideTurn'>;
}

/** One call, and the person as whom it is performed. */
export interface PerformedAs extends Performed {
  as: ActingAs;
}

/** The time to undo what a failed call left behind, beyond its own deadline. */
const TAKING_BACK_MS = 5_000;

/** One use of the database: its time, connection and events. */
interface Transaction {
  readonly now: Date;
  readonly connection: StatementRunner;
  readonly outbox: Outbox;
}

/** How calls use the database: which connection they get, what their session has, and how they end. */
export const createTransactions = (deps: TransactionDeps) => {
  const existing = new ExistenceCache();

  const connect = (call: AnyCall, { org_id, deadline }: IdentifiedHead, transaction: boolean): StatementRunner => {
    if (call.scope === 'all orgs') return new Connection(deps.workers, 'all orgs', transaction, deadline);
    if (transaction) return new Connection(deps.pool, { org_id }, true, deadline);
    return new (deps.snapshots ? SnapshotReader : Reader)(deps.reads, org_id, deadline);
  };

  const peekIn =
    (call: AnyCall, head: IdentifiedHead) =>
    async <R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> => {
      const connection = connect(call, head, false);
      try {
        return await connection.query(what, params);
      } finally {
        await connection.abandon();
      }
    };

  /** Stores the effect of one statement at once, also if the call fails. */
  const apart = async (org_id: string, what: Statement, params: readonly unknown[]): Promise<void> => {
    const connection = new Connection(deps.pool, { org_id }, true, Date.now() + TAKING_BACK_MS);
    connection.run(what, params);
    await connection.commit();
  };

  /** Calls to other services; none inside a transaction, which must not wait for a network. */
  const neighboursOf = (call: AnyCall, head: IdentifiedHead, connection: StatementRunner): Peers => ({
    call: async (neighbour, body) => {
      if (connection.isOpen) throw new Error(`${call.id} calls a neighbour inside its transaction`);
      return callService({ requester: deps.requester, head }, neighbour, body);
    },
  });

  const sessionOn = (
    call: AnyCall,
    { head, slot, as }: PerformedAs,
    { connection, outbox, now }: Transaction,
    inOwnTransaction: OwnTransaction,
  ): Session => {
    const peek = peekIn(call, head);
    const common = {
      org_id: () => head.org_id,
      connection,
      aside: <T>(work: () => Promise<T>): Promise<T> => slot.aside(work),
    };
    return new Session({
      call,
      head,
      as,
      now,
      connection,
      outbox,
      signer: deps.signer,
      inclusion: { includes: (write, org_id) => slot.aside(() => deps.inclusion.includes(write, org_id)) },
      peek,
      references: new References({ ...common, deadline: head.deadline, existing, peek }),
      deletion: new AnnouncedDeletion({ ...common, apart: (what, params) => apart(head.org_id, what, params) }),
      takeWideTurn: () => slot.takeWideTurn(),
      inOwnTransaction,
      neighbours: neighboursOf(call, head, connection),
    });
  };

  const begin = (call: AnyCall, head: IdentifiedHead, transaction: boolean): Transaction => {
    const now = deps.clock();
    return { now, outbox: deps.outbox(now), connection: connect(call, head, transaction) };
  };

  /** Sends what a handler told, and everything that has to hold at the end. Resolves when the commit may be sent. */
  const finish = (session: Session, { outbox, connection }: Transaction): Promise<void> => {
    const lastWord = session.deletion.confirm();
    lastWord.catch(() => {});
    session.publishCollected();
    outbox.write(connection);
    session.references.confirm();
    return lastWord;
  };

  const commit = async (session: Session, { outbox, connection }: Transaction): Promise<void> => {
    await connection.commit();
    session.runAfterCommit();
    if (outbox.count > 0) deps.onEvents();
  };

  /**
   * Parts of a call that are transactions of their own: each is tried again by itself when it loses a race. `told` is
   * the last of them that feeds other services.
   */
  const partsOf = (call: AnyCall, performed: PerformedAs, whole: Transaction) => {
    const parts: { told: Outbox | undefined; run: OwnTransaction } = {
      told: undefined,
      run: (work) => {
        if (!call.writes) throw new Error(`${call.id} is declared as a read but has transactions of its own`);
        if (whole.connection.isOpen) throw new Error(`${call.id} begins another transaction inside its own`);
        return retryLostRaces(async () => {
          const part = begin(call, performed.head, true);
          const session = sessionOn(call, performed, part, () => {
            throw new Error(`${call.id} begins another transaction inside one of its parts`);
          });
          try {
            const result = await work(session);
            await finish(session, part);
            await commit(session, part);
            if (part.outbox.feeding > 0) parts.told = part.outbox;
            return result;
          } catch (error) {
            await part.connection.abandon();
            if (isLostRace(error)) session.references.forget();
            throw error;
          }
        });
      },
    };
    return parts;
  };

  return { connect, peekIn, begin, sessionOn, partsOf, finish, commit };
};
