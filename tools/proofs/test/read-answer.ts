import { isDeepStrictEqual } from 'node:util';
import { type AnyCall, refusalsOf } from '../../../libs/contracts/src/index.ts';
import type { Answer } from './http.ts';
import type { Outcome } from './calls.ts';
import { problemOf } from './problem.ts';

/** The outcome of a call. Throws when a success differs from the contract or a refusal is not a declared problem. */
export const readAnswer = <C extends AnyCall>(call: C, answer: Answer, fail: (reason: string) => Error): Outcome<C> => {
  const { status, headers } = answer;
  if (status >= 400) {
    const problem = problemOf(answer, fail);
    const { code } = problem;
    if (code === 'internal') throw fail('an internal error is never expected');
    if (!refusalsOf(call).includes(code)) throw fail(`the contract of ${call.id} does not declare the refusal ${code}`);
    return { code, status, headers, problem };
  }
  const body: unknown = status === 204 ? null : answer.body;
  const read = call.output.safeParse(body);
  if (!read.success) throw fail(`the answer differs from the contract:\n${read.error.message}`);
  if (!isDeepStrictEqual(read.data, body)) throw fail('the answer contains more than the contract declares');
  return { code: 'done', status, headers, body: read.data };
};
