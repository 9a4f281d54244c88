import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyCall, Output, ProblemCode, Request } from '../../../libs/contracts/src/index.ts';
import type { Answer, HeaderValues, Send } from './http.ts';
import type { Refusal } from './problem.ts';
import { readAnswer } from './read-answer.ts';
import { type AnyTestRequest, urlOf } from './any-request.ts';
import { captureFailure, failureText } from './failure-text.ts';

/** Keys of a request that a test may omit: optional parts, and parts whose members are all optional. */
type Optional<T> = {
  [K in keyof T]: undefined extends T[K] ? K : T[K] extends Record<string, never> ? K : object extends T[K] ? K : never;
}[keyof T];
export type TestRequest<C extends AnyCall> = Omit<Request<C>, Optional<Request<C>>> & Partial<Request<C>>;
type Arguments<C extends AnyCall> =
  object extends TestRequest<C>
    ? [input?: TestRequest<C>, headers?: HeaderValues]
    : [input: TestRequest<C>, headers?: HeaderValues];

/** A success by its contract. */
export interface SuccessAnswer<C extends AnyCall> {
  status: number;
  headers: Headers;
  body: Output<C>;
}
/** The result of a call that may succeed or be refused. `code` is `done` or the code of the refusal. */
export type Outcome<C extends AnyCall> =
  | ({ code: 'done' } & SuccessAnswer<C>)
  | { code: ProblemCode; status: number; headers: Headers; problem: Refusal };

/** Calls by contract. An unexpected answer is thrown as an error with request, answer and log lines. */
export interface CallsByContract {
  /** Returns the body of a success with the declared status. Retries while a service is too busy. */
  ok<C extends AnyCall>(call: C, ...given: Arguments<C>): Promise<Output<C>>;
  /** Returns the whole answer, with headers, of a success with any status. Retries like `ok`. */
  answer<C extends AnyCall>(call: C, ...given: Arguments<C>): Promise<SuccessAnswer<C>>;
  /** Returns the problem of a request that must be refused. The input need not be valid. */
  refused(call: AnyCall, input?: AnyTestRequest, headers?: HeaderValues): Promise<Refusal>;
  /** Returns either outcome, for races. An internal error is thrown. */
  outcome<C extends AnyCall>(call: C, ...given: Arguments<C>): Promise<Outcome<C>>;
}

/** Refusals that a caller retries: the request was not executed because the machine was busy or paused. */
const RETRYABLE: readonly string[] = ['unavailable', 'timeout'] satisfies ProblemCode[];
const TRIES = 6;
const PAUSE_MS = 300;

export const callsOn = (send: Send): CallsByContract => {
  const sent = (call: AnyCall, input: AnyTestRequest, headers: HeaderValues): Promise<Answer> => {
    const { method, path } = urlOf(call, input);
    if (input.body === undefined) return send(method, `/${path}`, undefined, headers);
    return send(method, `/${path}`, JSON.stringify(input.body), { 'content-type': 'application/json', ...headers });
  };

  /** Performs a call. `fail` creates the error for an outcome that the test did not expect. */
  const perform = async <C extends AnyCall>(call: C, input: AnyTestRequest, headers: HeaderValues) => {
    const failure = captureFailure();
    const answer = await sent(call, input, headers);
    const fail = (reason: string): Error => failure(failureText(answer, reason));
    return { outcome: readAnswer(call, answer, fail), fail };
  };

  /** Performs a call that must succeed, with retries. */
  const persist: typeof perform = async (call, input, headers) => {
    for (let tries = 1; ; tries += 1) {
      const performed = await perform(call, input, headers);
      if (!RETRYABLE.includes(performed.outcome.code) || tries === TRIES) return performed;
      await sleep(tries * PAUSE_MS);
    }
  };

  return {
    ok: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await persist(call, input, headers);
      if (outcome.code !== 'done' || outcome.status !== call.status) throw fail(`expected ${call.status}`);
      return outcome.body;
    },
    answer: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await persist(call, input, headers);
      if (outcome.code !== 'done') throw fail('expected a success');
      return outcome;
    },
    refused: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await perform(call, input, headers);
      if (outcome.code === 'done') throw fail('expected a refusal');
      return outcome.problem;
    },
    outcome: async (call, input: AnyTestRequest = {}, headers = {}) => (await perform(call, input, headers)).outcome,
  };
};
