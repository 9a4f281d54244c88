import type { ProblemCode } from '../../../libs/contracts/src/index.ts';
import type { Answer } from './api.ts';
import type { Answer as Sent } from './http.ts';
import { problemOf, type Refusal } from './problem.ts';
import { failureHere, failureText } from './failure-text.ts';

/** The body of an answer that must have this status. What comes instead is thrown with its whole story. */
export function expectOk<B>(answer: Answer<B>, status?: number): B;
/** The same for an answer of which nothing is known before. */
export function expectOk(answer: Sent, status?: number): unknown;
// That a body of success is as its contract says is checked where services answer.
export function expectOk(answer: Sent, status = 200): unknown {
  if (answer.status !== status) throw failureHere()(failureText(answer, `${status} was expected`));
  return answer.body;
}

/** The problem of an answer that must be this refusal. What comes instead is thrown with its whole story. */
export const expectRefusal = (answer: Sent, status: number, code: ProblemCode): Refusal => {
  const failure = failureHere();
  const fail = (why: string): Error => failure(failureText(answer, why));
  if (answer.status !== status) throw fail(`${status} ${code} was expected`);
  const problem = problemOf(answer, fail);
  if (problem.code !== code) throw fail(`${code} was expected`);
  return problem;
};

/** How an answer came out: its status, and the code of a refusal. */
export const codeOf = (answer: Sent): string =>
  answer.status < 400 ? String(answer.status) : `${answer.status} ${problemOf(answer).code}`;

/** How parallel requests came out, sorted. */
export const codesOf = (answers: readonly Sent[]): string[] =>
  answers.map(codeOf).toSorted((a, b) => a.localeCompare(b));

/** Asks again, as clients do, while a service has too much to do (503): so many at once may be more than a machine can take. */
export const untilServed = async <A extends { status: number }>(ask: () => Promise<A>): Promise<A> => {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
};
