import { setTimeout } from 'node:timers/promises';
import { type AnyCall, clazzReferenceCalls, type Input, Problem } from '@teaching/contracts';
import { OutcomeUnknown } from '../db/database-fault.ts';
import type { Statement } from '../db/statement.ts';
import { tryEachPerson, type Child, actingPeople } from './acting-for.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { callService } from './call-service.ts';
import { type Answer, type Route, toAnswer } from './handler.ts';
import { IdempotentRequest } from './idempotency.ts';
import { parseInput } from './parse.ts';
import { signWriteToken } from './tokens.ts';
import {
  isLostRace,
  type Performed,
  type PerformedAs,
  retryLostRaces,
  type TransactionDeps,
  createTransactions,
  UnrecordedRead,
} from './transactions.ts';

export interface PerformDeps extends TransactionDeps {
  service: string;
  /** Reads the children of a guardian, by org and user, in the service that stores them; others ask that service. */
  children: Statement<Child> | undefined;
  checkReplies: boolean;
}

const IN_DOUBT_MS = 50;

/** The request or the state of the records forbids it. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && error.status < 500 && !error.code.startsWith('idempotency_');

/** Performs one call: parse, open the tenant's session, run the handler, commit, answer. */
export const createPerformer = (deps: PerformDeps) => {
  const { connect, peekIn, begin, sessionOn, partsOf, finish, commit } = createTransactions(deps);

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
        answer.head.consistency_token = signWriteToken(deps.signer, head.org_id, write);
        key?.store(connection, answer);
      }
      await lastWord;
      await commit(session, whole);
      return answer;
    } catch (error) {
      await connection.abandon();
      await session.deletion.takeBack();
      if (isLostRace(error)) session.references.forget();
      throw handled && !call.writes ? new UnrecordedRead(error) : error;
    }
  };

  /** The stored answer of a request that was done before: no other service is asked again. */
  const replay = async (call: AnyCall, head: IdentifiedHead, key: IdempotentRequest): Promise<Answer | undefined> => {
    const connection = connect(call, head, false);
    try {
      return await key.find(connection);
    } finally {
      await connection.abandon();
    }
  };

  /**
   * The commit got no answer. The key tells whether the request was stored: its answer is found, or nothing is found and the
   * request is performed now. Any other failure says nothing about the first try.
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

  /** The children of a guardian, asked anew for each call: a guardianship that ends counts at once. */
  const childrenOf = async (call: AnyCall, head: IdentifiedHead): Promise<readonly Child[]> => {
    if (deps.children !== undefined) return peekIn(call, head)(deps.children, [head.org_id, head.user_id]);
    const asker = { requester: deps.requester, head };
    return (await callService(asker, clazzReferenceCalls.getChildren, { user_id: head.user_id })).children;
  };

  /** Performs the call, and tries again after a lost race. */
  const settled = (
    route: Route,
    performed: PerformedAs,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> =>
    retryLostRaces(async () => {
      try {
        return await attempt(route, performed, input, key);
      } catch (error) {
        const found =
          error instanceof OutcomeUnknown && key ? await findOutcome(route, performed, input, key) : undefined;
        if (found !== undefined) return found;
        throw error;
      }
    });

  /**
   * Stores a refusal under its key before it is sent, so that an earlier copy of the request that comes late is not performed. If a
   * copy was performed meanwhile, its answer is returned.
   */
  const refused = async (
    call: AnyCall,
    head: IdentifiedHead,
    key: IdempotentRequest,
    problem: Problem,
  ): Promise<Answer> => {
    const connection = connect(call, head, true);
    try {
      const done = await key.claim(connection);
      if (done !== undefined) return done;
      key.storeRefusal(connection, problem);
      await connection.commit();
    } finally {
      await connection.abandon();
    }
    throw problem;
  };

  return async (route: Route, performed: Performed): Promise<Answer> => {
    const { call } = route;
    const { head, body, from } = performed;
    const { roles } = call;
    const mayAsk = call.called_by.some((asker) => asker === from);
    const isAllowed = typeof roles === 'string' || head.roles.some((role) => roles.includes(role));
    if (!(mayAsk && isAllowed)) throw new Problem('forbidden');
    const input = parseInput(call, head.path, head.query, body);
    const ways = await actingPeople(call, { user_id: head.user_id, roles: head.roles }, input, () =>
      childrenOf(call, head),
    );
    const key =
      call.writes && head.idempotency_key !== undefined
        ? new IdempotentRequest(head, head.idempotency_key, call.id, body)
        : undefined;
    const done = key === undefined ? undefined : await replay(call, head, key);
    if (done !== undefined) return done;
    try {
      return await tryEachPerson(ways, (as) => settled(route, { ...performed, as }, input, key));
    } catch (error) {
      if (key === undefined || !isRefusal(error)) throw error;
      return await refused(call, head, key, error);
    }
  };
};
export type Performer = ReturnType<typeof createPerformer>;
