import type { ProblemCode } from '../../../libs/contracts/src/index.ts';
import type { Answer } from './api.ts';
import type { Answer as Sent } from './http.ts';
import { problemOf, type Refusal } from './problem.ts';
import { captureFailure, failureText } from './failure-text.ts';

/** Returns the body of an answer that must have this status. Throws an error with request, answer and log lines. */
export function expectOk<B>(answer: Answer<B>, status?: number): B;
/** The same for an answer of unknown type. */
export function expectOk(answer: Sent, status?: number): unknown;
// The services check the body of a success against its contract.
export function expectOk(answer: Sent, status = 200): unknown {
  if (answer.status !== status) throw captureFailure()(failureText(answer, `expected ${status}`));
  return answer.body;
}

/** Returns the problem of an answer that must be this refusal. Throws an error with request, answer and log lines. */
export const expectRefusal = (answer: Sent, status: number, code: ProblemCode): Refusal => {
  const failure = captureFailure();
  const fail = (reason: string): Error => failure(failureText(answer, reason));
  if (answer.status !== status) throw fail(`expected ${status} ${code}`);
  const problem = problemOf(answer, fail);
  if (problem.code !== code) throw fail(`expected ${code}`);
  return problem;
};

/** The status of an answer, with the code of a refusal. */
export const codeOf = (answer: Sent): string =>
  answer.status < 400 ? String(answer.status) : `${answer.status} ${problemOf(answer).code}`;

/** The outcomes of parallel requests, sorted. */
export const codesOf = (answers: readonly Sent[]): string[] =>
  answers.map(codeOf).toSorted((a, b) => a.localeCompare(b));

/** Repeats a request until it is not answered with 503, because many at once may be more than a machine can serve. */
export const retryWhileBusy = async <A extends { status: number }>(ask: () => Promise<A>): Promise<A> => {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
};
