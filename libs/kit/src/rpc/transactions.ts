import { type AnyCall } from '@teaching/contracts';
import type pg from 'pg';
import type { Signer } from '../base/sign.ts';
import { Connection, type Work } from '../db/connection.ts';
import type { SharedReads } from '../db/shared-reads.ts';
import { Reader, SnapshotReader } from '../db/reader.ts';
import type { Statement } from '../db/statement.ts';
import { callService, type Neighbours } from './call-service.ts';
import type { Inclusion } from './consistency.ts';
import { Deletion } from './deletion.ts';
import type { KnownHead } from './known-head.ts';
import { KnownThings } from './known-things.ts';
import type { Outbox } from './outbox.ts';
import { References } from './references.ts';
import type { Requester } from './requester.ts';
import { isLostRace, retried } from './retried.ts';
import type { SeenAs } from './seen-as.ts';
import { type OwnTransaction, Session } from './session.ts';
import type { Slot } from './turns.ts';

export interface TransactionDeps {
  pool: pg.Pool;
  reads: SharedReads;
  /** A call reads one moment. */
  snapshots: boolean;
  /** For calls across all orgs. */
  workers: pg.Pool;
  requester: Requester;
  signer: Signer;
  inclusion: Inclusion;
  /** Collects what a transaction tells, which begins at `now`. */
  outbox: (now: Date) => Outbox;
  clock: () => Date;
  /** Called after a write that emitted events has committed. */
  onEvents: () => void;
}

/** One call as it arrived. */
export interface Performed {
  head: KnownHead;
  body: Buffer;
  /** Which service asks, as the broker proved. */
  from: string;
  slot: Pick<Slot, 'aside' | 'takeWideTurn'>;
}

/** The same, and as whom it is performed. */
export interface PerformedAs extends Performed {
  as: SeenAs;
}

/** What a call that failed takes back has this long, whatever became of its own time. */
const TAKING_BACK_MS = 5_000;

/** One use of the database, when it began, and what it tells. */
interface Transaction {
  readonly now: Date;
  readonly connection: Work;
  readonly outbox: Outbox;
}

/** How calls use the database: which connection they get, what their session has, and how they end. */
export const transactions = (deps: TransactionDeps) => {
  const known = new KnownThings();

  const connect = (call: AnyCall, { org_id, deadline }: KnownHead, transaction: boolean): Work => {
    if (call.scope === 'all orgs') return new Connection(deps.workers, 'all orgs', transaction, deadline);
    if (transaction) return new Connection(deps.pool, { org_id }, true, deadline);
    return new (deps.snapshots ? SnapshotReader : Reader)(deps.reads, org_id, deadline);
  };

  const peekIn =
    (call: AnyCall, head: KnownHead) =>
    async <R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> => {
      const connection = connect(call, head, false);
      try {
        return await connection.query(what, params);
      } finally {
        await connection.abandon();
      }
    };

  /** One statement that stands at once, whatever becomes of the call. */
  const apart = async (org_id: string, what: Statement, params: readonly unknown[]): Promise<void> => {
    const connection = new Connection(deps.pool, { org_id }, true, Date.now() + TAKING_BACK_MS);
    connection.run(what, params);
    await connection.commit();
  };

  /** Nobody waits for a network in a transaction. */
  const neighboursOf = (call: AnyCall, head: KnownHead, connection: Work): Neighbours => ({
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
      references: new References({ ...common, deadline: head.deadline, known, peek }),
      deletion: new Deletion({ ...common, apart: (what, params) => apart(head.org_id, what, params) }),
      takeWideTurn: () => slot.takeWideTurn(),
      inOwnTransaction,
      neighbours: neighboursOf(call, head, connection),
    });
  };

  const begin = (call: AnyCall, head: KnownHead, transaction: boolean): Transaction => {
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
        return retried(async () => {
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
