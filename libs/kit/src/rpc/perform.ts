import { setTimeout } from 'node:timers/promises';
import { type AnyCall, clazzReferenceCalls, type Input, Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { Signer } from '../base/sign.ts';
import { Connection, type Work } from '../db/connection.ts';
import { OutcomeUnknown } from '../db/fault.ts';
import { Reader } from '../db/reader.ts';
import type { SharedReads } from '../db/shared-reads.ts';
import { SnapshotReader } from '../db/snapshot-reader.ts';
import type { Statement } from '../db/statement.ts';
import { type Answer, toAnswer } from './answer.ts';
import { callService, type Neighbours } from './call-service.ts';
import { type Inclusion, sealWrite } from './consistency.ts';
import { Deletion } from './deletion.ts';
import type { Route } from './handler.ts';
import { IdempotentRequest } from './idempotency.ts';
import type { KnownHead } from './known-head.ts';
import { KnownThings } from './known-things.ts';
import type { Outbox } from './outbox.ts';
import { parseInput } from './parse.ts';
import { References } from './references.ts';
import type { Requester } from './requester.ts';
import { retried, Unrecorded } from './retried.ts';
import { asEach, type Child, type SeenAs, seenAs } from './seen-as.ts';
import { type OwnTransaction, Session } from './session.ts';
import type { Slot } from './turns.ts';

export interface PerformDeps {
  service: string;
  pool: pg.Pool;
  reads: SharedReads;
  /** A call reads one moment. */
  snapshots: boolean;
  /** For calls across all orgs. */
  workers: pg.Pool;
  requester: Requester;
  signer: Signer;
  inclusion: Inclusion;
  /** The children of a guardian, by org and user, where this service keeps them; else the one that does is asked. */
  children: Statement<Child> | undefined;
  /** Collects what a transaction tells, which begins at `now`. */
  outbox: (now: Date) => Outbox;
  clock: () => Date;
  checkReplies: boolean;
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
interface PerformedAs extends Performed {
  as: SeenAs;
}

const IN_DOUBT_MS = 50;
/** What a call that failed takes back has this long, whatever became of its own time. */
const TAKING_BACK_MS = 5_000;

/** One use of the database, when it began, and what it tells. */
interface Transaction {
  readonly now: Date;
  readonly connection: Work;
  readonly outbox: Outbox;
}

/** Performs one call: parse, open the tenant's session, run the handler, commit, answer. */
export const performer = (deps: PerformDeps) => {
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
    const connection = new Connection(deps.pool, { org_id }, false, Date.now() + TAKING_BACK_MS);
    try {
      await connection.query(what, params);
    } finally {
      await connection.abandon();
    }
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

  /** Sends what a handler told, and everything that has to hold at the end. Resolves when that is known to hold. */
  const finish = (session: Session, { outbox, connection }: Transaction): Promise<unknown> => {
    const lastWord = Promise.all([session.references.confirm(), session.deletion.confirm()]);
    lastWord.catch(() => {});
    session.tellCollected();
    outbox.write(connection);
    return lastWord;
  };

  const commit = async ({ outbox, connection }: Transaction): Promise<void> => {
    await connection.commit();
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
            await commit(part);
            if (part.outbox.feeding > 0) parts.told = part.outbox;
            return result;
          } catch (error) {
            await part.connection.abandon();
            throw error;
          }
        });
      },
    };
    return parts;
  };

  const attempt = async (
    route: Route,
    performed: PerformedAs,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> => {
    const { call } = route;
    const { head } = performed;
    const whole = begin(call, head, call.writes || call.audited);
    const { connection, outbox } = whole;
    const parts = partsOf(call, performed, whole);
    const session = sessionOn(call, performed, whole, parts.run);
    let handled = false;
    try {
      const facts = await route.prepare?.(input, session);
      session.reach.askAgain();
      const done = await key?.claim(connection);
      if (done !== undefined) {
        await connection.abandon();
        await session.deletion.takeBack();
        return done;
      }
      const result = await route.run(input, session, facts);
      session.reach.requireAsked();
      const answer = toAnswer(call, result, deps.checkReplies);
      const lastWord = finish(session, whole);
      handled = true;
      if (call.writes) {
        // The last write that feeds others has a place behind all before it.
        const { tx_id, feeding } = outbox.feeding > 0 ? outbox : (parts.told ?? outbox);
        const write = { service: deps.service, tx_id, events: feeding };
        answer.head.consistency_token = sealWrite(deps.signer, head.org_id, write);
        key?.store(connection, answer);
      }
      await lastWord;
      await commit(whole);
      return answer;
    } catch (error) {
      await connection.abandon();
      await session.deletion.takeBack();
      throw handled && !call.writes ? new Unrecorded(error) : error;
    }
  };

  /** A request that was already done is answered before anybody is asked again. */
  const replay = async (call: AnyCall, head: KnownHead, key: IdempotentRequest): Promise<Answer | undefined> => {
    const connection = connect(call, head, false);
    try {
      return await key.find(connection);
    } finally {
      await connection.abandon();
    }
  };

  /**
   * Nobody knows whether the request was stored. Under its key that can be found out: the stored answer is found, or
   * nothing is and it is done now. What else comes of it says nothing about the first time.
   */
  const findOutcome = async (
    route: Route,
    performed: PerformedAs,
    input: Input<AnyCall>,
    key: IdempotentRequest,
  ): Promise<Answer | undefined> => {
    const { head } = performed;
    while (Date.now() < head.deadline) {
      try {
        return (await replay(route.call, head, key)) ?? (await attempt(route, performed, input, key));
      } catch (error) {
        // The transaction in doubt is not over yet.
        if (!(error instanceof Problem) || error.code !== 'idempotency_in_flight') return undefined;
      }
      await setTimeout(IN_DOUBT_MS);
    }
    return undefined;
  };

  /** The same way for everybody, and at once: the service that keeps who speaks for whom is asked each time. */
  const childrenOf = async (call: AnyCall, head: KnownHead): Promise<readonly Child[]> => {
    if (deps.children !== undefined) return peekIn(call, head)(deps.children, [head.org_id, head.user_id]);
    const asker = { requester: deps.requester, head };
    return (await callService(asker, clazzReferenceCalls.getChildren, { user_id: head.user_id })).children;
  };

  /** One try, and again what lost a race. */
  const settled = (
    route: Route,
    performed: PerformedAs,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> =>
    retried(async () => {
      try {
        return await attempt(route, performed, input, key);
      } catch (error) {
        const found =
          error instanceof OutcomeUnknown && key ? await findOutcome(route, performed, input, key) : undefined;
        if (found !== undefined) return found;
        throw error;
      }
    });

  return async (route: Route, performed: Performed): Promise<Answer> => {
    const { call } = route;
    const { head, body, from } = performed;
    const { who } = call;
    const mayAsk = call.asked_by.some((asker) => asker === from);
    const isAllowed = typeof who === 'string' || head.roles.some((role) => who.includes(role));
    if (!(mayAsk && isAllowed)) throw new Problem('forbidden');
    const input = parseInput(call, head.path, head.query, body);
    const ways = await seenAs(call, { user_id: head.user_id, roles: head.roles }, input, () => childrenOf(call, head));
    const key =
      call.writes && head.idempotency_key !== undefined
        ? new IdempotentRequest(head, head.idempotency_key, call.id, body)
        : undefined;
    const done = key === undefined ? undefined : await replay(call, head, key);
    if (done !== undefined) return done;
    return asEach(ways, (as) => settled(route, { ...performed, as }, input, key));
  };
};
export type Performer = ReturnType<typeof performer>;
