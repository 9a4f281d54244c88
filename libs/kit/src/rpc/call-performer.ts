import { setTimeout } from 'node:timers/promises';
import { type AnyCall, clazzReferenceCalls, type Input, Problem } from '@teaching/contracts';
import { OutcomeUnknown } from '../db/database-fault.ts';
import type { Statement } from '../db/statement.ts';
import { tryEachActor, type Child, candidateActors } from './acting-for.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { callService } from './call-service.ts';
import { type Answer, type Route, toAnswer } from './handler.ts';
import { IdempotentRequest } from './idempotency.ts';
import { parseInput } from './parse-input.ts';
import { requestProblems, withForgedValues } from './request-problems.ts';
import { signWriteToken } from './tokens.ts';
import {
  isLostRace,
  type Outbox,
  type ReceivedCall,
  type ReceivedCallWithActor,
  retryTransaction,
  type TransactionDeps,
  createTransactions,
  UnauditedRead,
} from './transactions.ts';

export interface PerformDeps extends TransactionDeps {
  service: string;
  /**
   * Reads the children of a guardian by org and user, in the service that stores them. Undefined: call that service.
   */
  children: Statement<Child> | undefined;
  checkReplies: boolean;
}

/** How often the outcome of a commit without an answer is looked up. */
const OUTCOME_POLL_MS = 50;

/** Whether the request was refused for its content or for the state of the records. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && error.status < 500 && !error.code.startsWith('idempotency_');

/**
 * Performs one call: parses the input, opens the session of the tenant, runs the handler, commits, returns the answer.
 */
export const createPerformer = (deps: PerformDeps) => {
  const { connect, peekIn, begin, sessionOn, partsOf, finish, commit } = createTransactions(deps);

  /** The token of the last transaction that feeds other services: its offset is after those of the earlier ones. */
  const tokenOf = ({ org_id }: IdentifiedHead, { tx_id, feedingCount }: Outbox): string =>
    signWriteToken(deps.signer, org_id, { service: deps.service, tx_id, events: feedingCount });

  const attempt = async (
    route: Route,
    performed: ReceivedCallWithActor,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> => {
    const { call } = route;
    const { head } = performed;
    const transaction = begin(call, head, call.writes || call.audited);
    const { connection, outbox } = transaction;
    const parts = partsOf(call, performed, transaction);
    const session = sessionOn(call, performed, transaction, parts.run);
    let isHandled = false;
    try {
      const facts = await route.prepare?.(input, session);
      session.access.resetChecks();
      const stored = await key?.claim(connection);
      if (stored !== undefined) {
        await connection.abandon();
        await session.deletion.cancel();
        return stored;
      }
      const result = await route.run(input, session, facts);
      session.access.requireChecked();
      const answer = toAnswer(call, result, deps.checkReplies);
      const readyToCommit = finish(session, transaction);
      isHandled = true;
      if (call.writes) {
        answer.head.consistency_token = tokenOf(
          head,
          outbox.feedingCount > 0 ? outbox : (parts.lastFeeding() ?? outbox),
        );
        key?.store(connection, answer);
      }
      await readyToCommit;
      await commit(session, transaction);
      const earlier = parts.lastFeeding();
      await parts.runFollowUps(session);
      const last = parts.lastFeeding();
      if (last !== undefined && last !== earlier) answer.head.consistency_token = tokenOf(head, last);
      return answer;
    } catch (error) {
      await connection.abandon();
      await session.deletion.cancel();
      if (isLostRace(error)) session.references.forgetCached();
      throw isHandled && !call.writes ? new UnauditedRead(error) : error;
    }
  };

  /** The stored answer of a request that was performed before, so that no other service is queried again. */
  const replay = async (call: AnyCall, head: IdentifiedHead, key: IdempotentRequest): Promise<Answer | undefined> => {
    const connection = connect(call, head, false);
    try {
      return await key.find(connection);
    } finally {
      await connection.abandon();
    }
  };

  /**
   * Finds the outcome after a commit without an answer, by the idempotency key. If the answer is stored, the commit
   * succeeded. If not, the request is performed now. Any other failure does not show the outcome: undefined.
   */
  const findOutcome = async (
    route: Route,
    performed: ReceivedCallWithActor,
    input: Input<AnyCall>,
    key: IdempotentRequest,
  ): Promise<Answer | undefined> => {
    const { head } = performed;
    while (performance.now() < head.deadline) {
      try {
        return (await replay(route.call, head, key)) ?? (await attempt(route, performed, input, key));
      } catch (error) {
        // The transaction without an answer still holds the key.
        if (!(error instanceof Problem) || error.code !== 'idempotency_in_flight') return undefined;
      }
      await setTimeout(OUTCOME_POLL_MS);
    }
    return undefined;
  };

  /** The children of a guardian. Read for each call, so that the end of a guardianship takes effect at once. */
  const childrenOf = async (call: AnyCall, head: IdentifiedHead): Promise<readonly Child[]> => {
    if (deps.children !== undefined) return peekIn(call, head)(deps.children, [head.org_id, head.user_id]);
    const peerCaller = { requester: deps.requester, head };
    return (await callService(peerCaller, clazzReferenceCalls.getChildren, { user_id: head.user_id })).children;
  };

  /** Performs the call, retries after a lost race or an early timeout, and finds the outcome of a commit without an answer. */
  const attemptUntilDecided = (
    route: Route,
    performed: ReceivedCallWithActor,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> =>
    retryTransaction(async () => {
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
   * Stores a refusal under its key before it is sent, so that an earlier copy of the request that arrives late is not
   * performed. If a copy was performed meanwhile, its answer is returned. Else throws the refusal.
   */
  const storeRefusal = async (
    call: AnyCall,
    head: IdentifiedHead,
    key: IdempotentRequest,
    problem: Problem,
  ): Promise<Answer> => {
    const stored = await retryTransaction(async () => {
      const connection = connect(call, head, true);
      try {
        const found = await key.claim(connection);
        if (found !== undefined) return found;
        key.storeRefusal(connection, problem);
        await connection.commit();
        return undefined;
      } finally {
        await connection.abandon();
      }
    });
    if (stored !== undefined) return stored;
    throw problem;
  };

  const perform = async (route: Route, performed: ReceivedCall): Promise<Answer> => {
    const { call } = route;
    const { head, body, from } = performed;
    const { roles } = call;
    const isCallingServiceAllowed = call.called_by.some((service) => service === from);
    const isRoleAllowed = typeof roles === 'string' || head.roles.some((role) => roles.includes(role));
    if (!(isCallingServiceAllowed && isRoleAllowed)) throw new Problem('forbidden');
    const input = parseInput(call, head, body, (raw) => requestProblems(call, head, raw));
    const candidates = await candidateActors(call, { user_id: head.user_id, roles: head.roles }, input, () =>
      childrenOf(call, head),
    );
    const key =
      call.writes && head.idempotency_key !== undefined
        ? new IdempotentRequest(head, head.idempotency_key, call.id, body)
        : undefined;
    const stored = key === undefined ? undefined : await replay(call, head, key);
    if (stored !== undefined) return stored;
    try {
      return await tryEachActor(candidates, (actor) => attemptUntilDecided(route, { ...performed, actor }, input, key));
    } catch (error) {
      if (key === undefined || !isRefusal(error)) throw error;
      return await storeRefusal(call, head, key, error);
    }
  };

  return async (route: Route, performed: ReceivedCall): Promise<Answer> => {
    try {
      return await perform(route, performed);
    } catch (error) {
      throw withForgedValues(error, route.call, performed.head, deps.signer);
    }
  };
};
export type Performer = ReturnType<typeof createPerformer>;
