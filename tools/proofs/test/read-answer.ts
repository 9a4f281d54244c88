import { isDeepStrictEqual } from 'node:util';
import { type AnyCall, refusalsOf } from '../../../libs/contracts/src/index.ts';
import type { Answer } from './http.ts';
import type { Outcome } from './calls.ts';
import { problemOf } from './problem.ts';

/** The outcome as the contract declares it: an answer has what it says and nothing besides, a refusal is a problem. */
export const readAnswer = <C extends AnyCall>(call: C, answer: Answer, fail: (why: string) => Error): Outcome<C> => {
  const { status, headers } = answer;
  if (status >= 400) {
    const problem = problemOf(answer, fail);
    const { code } = problem;
    if (code === 'internal') throw fail('an internal error is never expected');
    if (!refusalsOf(call).includes(code)) throw fail(`the contract does not say that ${call.id} refuses with ${code}`);
    return { code, status, headers, problem };
  }
  const body: unknown = status === 204 ? null : answer.body;
  const read = call.output.safeParse(body);
  if (!read.success) throw fail(`the answer is not as the contract says:\n${read.error.message}`);
  if (!isDeepStrictEqual(read.data, body)) throw fail('the answer has more than the contract says');
  return { code: 'done', status, headers, body: read.data };
};
