import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyCall, Output, ProblemCode, Request } from '../../../libs/contracts/src/index.ts';
import type { Answer, HeaderValues, Send } from './http.ts';
import type { Refusal } from './problem.ts';
import { readAnswer } from './read-answer.ts';
import { type AnyTestRequest, urlOf } from './any-request.ts';
import { failureHere, failureText } from './failure-text.ts';

/** What may be left out of a request may be left out here, too: `body: {}` says nothing. */
type Optional<T> = {
  [K in keyof T]: undefined extends T[K] ? K : T[K] extends Record<string, never> ? K : object extends T[K] ? K : never;
}[keyof T];
export type Sent<C extends AnyCall> = Omit<Request<C>, Optional<Request<C>>> & Partial<Request<C>>;
type Given<C extends AnyCall> =
  object extends Sent<C> ? [input?: Sent<C>, headers?: HeaderValues] : [input: Sent<C>, headers?: HeaderValues];

/** An answer of success, as its contract declares it. */
export interface Answered<C extends AnyCall> {
  status: number;
  headers: Headers;
  body: Output<C>;
}
/** What came of a call that may end either way. `code` is `done`, or the code of the refusal. */
export type Outcome<C extends AnyCall> =
  | ({ code: 'done' } & Answered<C>)
  | { code: ProblemCode; status: number; headers: Headers; problem: Refusal };

/** Calls by contract. What comes otherwise than expected is thrown as an error that tells the whole story. */
export interface CallsByContract {
  /** The body of an answer that must have the declared status; asked for again where the machine is too busy. */
  ok<C extends AnyCall>(call: C, ...given: Given<C>): Promise<Output<C>>;
  /** The whole answer, with headers; any status of success will do. Asked for again like that. */
  answer<C extends AnyCall>(call: C, ...given: Given<C>): Promise<Answered<C>>;
  /** The problem of a request that must be refused. Takes what is not valid, too. */
  refused(call: AnyCall, input?: AnyTestRequest, headers?: HeaderValues): Promise<Refusal>;
  /** For races, where both may happen. An internal error is no outcome, it is thrown. */
  outcome<C extends AnyCall>(call: C, ...given: Given<C>): Promise<Outcome<C>>;
}

/** Refused for want of time, and not done: a machine that stood still for seconds says so. A caller asks again. */
const NOT_NOW: readonly string[] = ['unavailable', 'timeout'] satisfies ProblemCode[];
const TRIES = 6;
const PAUSE_MS = 300;

export const callsOn = (send: Send): CallsByContract => {
  const sent = (call: AnyCall, input: AnyTestRequest, headers: HeaderValues): Promise<Answer> => {
    const { method, path } = urlOf(call, input);
    if (input.body === undefined) return send(method, `/${path}`, undefined, headers);
    return send(method, `/${path}`, JSON.stringify(input.body), { 'content-type': 'application/json', ...headers });
  };

  /** Performs a call, and says how to fail if the test expected another outcome. */
  const perform = async <C extends AnyCall>(call: C, input: AnyTestRequest, headers: HeaderValues) => {
    const failure = failureHere();
    const answer = await sent(call, input, headers);
    const fail = (why: string): Error => failure(failureText(answer, why));
    return { outcome: readAnswer(call, answer, fail), fail };
  };

  /** What must succeed in the end. */
  const persist: typeof perform = async (call, input, headers) => {
    for (let tries = 1; ; tries += 1) {
      const performed = await perform(call, input, headers);
      if (!NOT_NOW.includes(performed.outcome.code) || tries === TRIES) return performed;
      await sleep(tries * PAUSE_MS);
    }
  };

  return {
    ok: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await persist(call, input, headers);
      if (outcome.code !== 'done' || outcome.status !== call.status) throw fail(`${call.status} was expected`);
      return outcome.body;
    },
    answer: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await persist(call, input, headers);
      if (outcome.code !== 'done') throw fail('success was expected');
      return outcome;
    },
    refused: async (call, input: AnyTestRequest = {}, headers = {}) => {
      const { outcome, fail } = await perform(call, input, headers);
      if (outcome.code === 'done') throw fail('a refusal was expected');
      return outcome.problem;
    },
    outcome: async (call, input: AnyTestRequest = {}, headers = {}) => (await perform(call, input, headers)).outcome,
  };
};
