import { isDeepStrictEqual } from 'node:util';
import {
  type AnyCall,
  type Calls,
  type Input,
  type Output,
  Problem,
  type ProblemCode,
  problemDocument,
} from '@teaching/contracts';
import { type FaultKind, faultKindOf, isOrganizationDeleted, OutcomeUnknown } from '../db/database-fault.ts';
import type { ReplyHead } from './frame.ts';
import type { Session } from './session.ts';

/** An answer with a status other than the contract's, another content type, or own headers. */
export class Reply<T> {
  readonly body: T | string | null;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly next: string | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    body: T | string | null,
    options: { status?: number; type?: string; next?: string; headers?: Record<string, string> } = {},
  ) {
    this.body = body;
    this.status = options.status;
    this.type = options.type;
    this.next = options.next;
    this.headers = options.headers;
  }
}

/** An answer that is already JSON text and can be cached. It is sent without an `ETag`. */
export class SerializedAnswer<T extends object> {
  readonly text: string;
  /** Only carries the type of the answer; never set. */
  readonly '~answer'?: T;

  constructor(answer: T) {
    this.text = JSON.stringify(answer);
  }
}

type Answered<T> = T | Reply<T> | (T extends object ? SerializedAnswer<T> : never);
type Handle<C extends AnyCall> = (input: Input<C>, session: Session) => Promise<Answered<Output<C>>>;

/**
 * A handler of one call. The two-step form is for calls that query a peer service first: `prepare` runs before the
 * transaction and may use `session.peers`; `run` gets its result as `facts`.
 */
export type Handler<C extends AnyCall, Facts = never> =
  | Handle<C>
  | {
      prepare(input: Input<C>, session: Session): Promise<Facts>;
      run(input: Input<C>, session: Session, facts: Facts): Promise<Answered<Output<C>>>;
    };

/** A handler in the two-step form, with a type check that `run` takes the facts that `prepare` returns. */
export const twoStepHandler = <C extends AnyCall, Facts>(
  _call: C,
  steps: {
    prepare(input: Input<C>, session: Session): Promise<Facts>;
    run(input: Input<C>, session: Session, facts: Facts): Promise<Answered<Output<C>>>;
  },
): Handler<C, Facts> => steps;

/** One handler for each call of a service. A missing handler does not compile. */
export type Handlers<C extends Calls> = { readonly [K in keyof C]: Handler<C[K], any> }; // oxlint-disable-line no-explicit-any -- facts are private to each handler

export interface Route {
  call: AnyCall;
  prepare: ((input: Input<AnyCall>, session: Session) => Promise<unknown>) | undefined;
  run: (input: Input<AnyCall>, session: Session, facts: unknown) => Promise<unknown>;
}

/** Pairs calls with their handlers. */
export const routes = <C extends Calls>(calls: C, handlers: Handlers<C>): Route[] =>
  Object.entries(calls).map(([name, call]): Route => {
    const handler: Handler<AnyCall, unknown> | undefined = handlers[name];
    if (handler === undefined) throw new Error(`no handler for ${call.id}`);
    if (typeof handler === 'function') return { call, prepare: undefined, run: handler };
    return {
      call,
      prepare: (input, session) => handler.prepare(input, session),
      run: (input, session, facts) => handler.run(input, session, facts),
    };
  });

/** The reply to a call: its head, and its body as text. */
export interface Answer {
  head: ReplyHead;
  body: string;
}

const hasVersion = (value: unknown): value is { version: number } =>
  typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'number';

/** Throws if the body has other fields than the contract declares. */
const requireDeclaredFields = (call: AnyCall, body: unknown): void => {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  const declared: unknown = JSON.parse(JSON.stringify(call.output.parse(body) ?? null));
  if (!isDeepStrictEqual(sent, declared))
    throw new Error(`${call.id} returns an answer that differs from its contract: ${JSON.stringify(sent)}`);
};

/** A refusal as a problem document (RFC 9457). */
export const refusalAnswer = (problem: Problem, request_id: string): Answer => ({
  head: { status: problem.status, type: 'application/problem+json' },
  body: JSON.stringify(problemDocument(problem, request_id)),
});

/** Converts the handler's result to an answer. `check`: throws if it differs from the contract. */
export const toAnswer = (call: AnyCall, result: unknown, check: boolean): Answer => {
  if (result instanceof SerializedAnswer) {
    if (check) requireDeclaredFields(call, JSON.parse(result.text));
    return { head: { status: call.status }, body: result.text };
  }
  const reply = result instanceof Reply ? result : new Reply<unknown>(result);
  const head: ReplyHead = { status: reply.status ?? call.status };
  if (reply.type !== undefined) head.type = reply.type;
  if (reply.next !== undefined) head.next = reply.next;
  if (reply.headers !== undefined) head.headers = reply.headers;
  if (reply.type !== undefined || head.status === 204 || head.status === 304) {
    return { head, body: typeof reply.body === 'string' ? reply.body : '' };
  }
  if (check) requireDeclaredFields(call, reply.body);
  if (hasVersion(reply.body)) head.etag = `"${reply.body.version}"`;
  return { head, body: JSON.stringify(reply.body) };
};

/** Faults after which nothing is stored; all but `value` may succeed a moment later. */
const CODES: Partial<Record<FaultKind, ProblemCode>> = {
  lost: 'unavailable',
  busy: 'unavailable',
  race: 'unavailable',
  slow: 'unavailable',
  value: 'invalid_request',
};

/** The problem that the caller gets for a failure: a refusal unchanged, any other failure without its reason. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (isOrganizationDeleted(error)) return new Problem('forbidden', 'The organization was deleted');
  if (error instanceof OutcomeUnknown) return new Problem('outcome_unknown');
  return new Problem(CODES[faultKindOf(error)] ?? 'internal');
};
