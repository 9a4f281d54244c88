import { isDeepStrictEqual } from 'node:util';
import { type AnyCall, type Input, Problem } from '@teaching/contracts';
import type pg from 'pg';
import type { CallHead, ReplyHead } from '../bus/frame.ts';
import type { Requester } from '../bus/requester.ts';
import { Connection, databaseFault, type Work } from '../db/connection.ts';
import type { ReadLanes } from '../db/lanes.ts';
import { Reader } from '../db/reader.ts';
import type { Statement } from '../db/statement.ts';
import { Outbox } from '../log/outbox.ts';
import type { Signer } from '../sign.ts';
import { sealWrite } from './consistency.ts';
import { Reply, type Route } from './handler.ts';
import { type Answer, IdempotentRequest } from './idempotency.ts';
import type { Inclusion } from '../log/inclusion.ts';
import { neighboursFor } from './neighbours.ts';
import { parseInput } from './parse.ts';
import { Session } from './session.ts';

export interface PerformDeps {
  service: string;
  pool: pg.Pool;
  lanes: ReadLanes;
  /** For calls across all orgs. */
  workers: pg.Pool;
  requester: Requester;
  signer: Signer;
  inclusion: Inclusion;
  clock: () => Date;
  checkReplies: boolean;
  /** Called after a write that emitted events has committed. */
  onEvents: () => void;
}

/**
 * Lost races that a second try resolves: serialization failure, deadlock, and an exclusion constraint that
 * another transaction was first to fill (the second try sees its rows and can name them).
 */
const RETRIED = new Set(['40001', '40P01', '23P01']);
const TRIES = 4;

const hasVersion = (value: unknown): value is { version: number } =>
  typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'number';

/** What goes out is what the contract says, and nothing else: a column that nobody declared is none of the caller's business. */
const requireAsDeclared = (call: AnyCall, body: unknown): void => {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  const known: unknown = JSON.parse(JSON.stringify(call.output.parse(body) ?? null));
  if (!isDeepStrictEqual(sent, known))
    throw new Error(`${call.id} answers other than it declares: ${JSON.stringify(sent)}`);
};

/** The handler's result as reply head and body text. */
const toAnswer = (call: AnyCall, result: unknown, check: boolean): Answer => {
  const reply = result instanceof Reply ? result : new Reply<unknown>(result);
  const head: ReplyHead = { status: reply.status ?? call.status };
  if (reply.type !== undefined) head.type = reply.type;
  if (reply.next !== undefined) head.next = reply.next;
  if (reply.headers !== undefined) head.headers = reply.headers;
  if (reply.type !== undefined || head.status === 204 || head.status === 304) {
    return { head, body: typeof reply.body === 'string' ? reply.body : '' };
  }
  if (check) requireAsDeclared(call, reply.body);
  if (hasVersion(reply.body)) head.etag = `"${reply.body.version}"`;
  return { head, body: JSON.stringify(reply.body) };
};

/** Performs one call: parse, open the tenant's session, run the handler, commit, answer. */
export const performer = (deps: PerformDeps) => {
  const connect = (call: AnyCall, org_id: string, transaction: boolean): Work => {
    if (call.scope === 'all orgs') return new Connection(deps.workers, 'all orgs', transaction);
    return transaction ? new Connection(deps.pool, { org_id }, true) : new Reader(deps.lanes, org_id);
  };

  const peekIn =
    (call: AnyCall, org_id: string) =>
    async <R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> => {
      const connection = connect(call, org_id, false);
      try {
        return await connection.query(what, params);
      } finally {
        await connection.abandon();
      }
    };

  const sessionOn = (call: AnyCall, head: CallHead, connection: Work, outbox: Outbox, now: Date): Session =>
    new Session({
      call,
      head,
      now,
      connection,
      outbox,
      signer: deps.signer,
      inclusion: deps.inclusion,
      peek: peekIn(call, head.org_id),
      neighbours: neighboursFor(deps.requester, deps.service, head, () => {
        if (connection.isOpen) throw new Error(`${call.id} calls a neighbour inside its transaction`);
      }),
    });

  const attempt = async (
    route: Route,
    head: CallHead,
    input: Input<AnyCall>,
    key: IdempotentRequest | undefined,
  ): Promise<Answer> => {
    const { call } = route;
    const now = deps.clock();
    const outbox = new Outbox(now, deps.checkReplies);
    const connection = connect(call, head.org_id, call.writes || call.audited);
    const session = sessionOn(call, head, connection, outbox, now);
    try {
      const facts = await route.prepare?.(input, session);
      const done = await key?.claim(connection);
      if (done !== undefined) {
        await connection.abandon();
        return done;
      }
      const answer = toAnswer(call, await route.run(input, session, facts), deps.checkReplies);
      session.tellCollected();
      outbox.write(connection);
      if (call.writes) {
        answer.head.consistency_token = sealWrite(deps.signer, head.org_id, {
          service: deps.service,
          tx_id: outbox.tx_id,
          events: outbox.feeding,
        });
        key?.store(connection, answer);
      }
      await connection.commit();
      if (outbox.count > 0) deps.onEvents();
      return answer;
    } catch (error) {
      await connection.abandon();
      throw error;
    }
  };

  /** A request that was already done is answered before anybody is asked again. */
  const replay = async (call: AnyCall, head: CallHead, key: IdempotentRequest): Promise<Answer | undefined> => {
    const connection = connect(call, head.org_id, false);
    try {
      return await key.find(connection);
    } finally {
      await connection.abandon();
    }
  };

  return async (route: Route, head: CallHead, body: Buffer): Promise<Answer> => {
    const { call } = route;
    const allowed =
      call.who === 'service'
        ? head.service !== undefined
        : call.who === 'anyone' || head.roles.some((role) => call.who.includes(role));
    if (!allowed) throw new Problem('forbidden');
    const input = parseInput(call, head.path, head.query, body);
    const key =
      call.writes && head.idempotency_key !== undefined
        ? new IdempotentRequest(head, head.idempotency_key, call.id, body)
        : undefined;
    const done = key === undefined ? undefined : await replay(call, head, key);
    if (done !== undefined) return done;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(route, head, input, key);
      } catch (error) {
        if (tries >= TRIES || !RETRIED.has(databaseFault(error)?.code ?? '')) throw error;
      }
    }
  };
};
export type Performer = ReturnType<typeof performer>;
