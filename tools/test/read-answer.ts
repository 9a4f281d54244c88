import { isDeepStrictEqual } from 'node:util';
import type { AnyCall, ProblemCode } from '../../libs/contracts/src/index.ts';
import type { Answer } from './http.ts';
import type { Outcome } from './calls.ts';
import { problemOf } from './problem.ts';

/** What every call may be refused with, writes, and those with a caller; whatever else comes its contract must name. */
const ANY: readonly ProblemCode[] = [
  'invalid_request',
  'not_found',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'unavailable',
  'timeout',
];
const OF_WRITES: readonly ProblemCode[] = ['idempotency_in_flight', 'idempotency_mismatch', 'outcome_unknown'];
const OF_CALLERS: readonly ProblemCode[] = ['unauthenticated', 'forbidden'];

const mayRefuse = ({ who, writes, errors }: AnyCall, code: ProblemCode): boolean =>
  ANY.includes(code) ||
  errors.includes(code) ||
  (writes && OF_WRITES.includes(code)) ||
  (who !== 'anyone' && OF_CALLERS.includes(code));

/** The outcome as the contract declares it: an answer has what it says and nothing besides, a refusal is a problem. */
export const readAnswer = <C extends AnyCall>(call: C, answer: Answer, fail: (why: string) => Error): Outcome<C> => {
  const { status, headers } = answer;
  if (status >= 400) {
    const problem = problemOf(answer, fail);
    const { code } = problem;
    if (code === 'internal') throw fail('an internal error is never expected');
    if (!mayRefuse(call, code)) throw fail(`the contract does not say that ${call.id} refuses with ${code}`);
    return { code, status, headers, problem };
  }
  const body: unknown = status === 204 ? null : answer.body;
  const read = call.output.safeParse(body);
  if (!read.success) throw fail(`the answer is not as the contract says:\n${read.error.message}`);
  if (!isDeepStrictEqual(read.data, body)) throw fail('the answer has more than the contract says');
  return { code: 'done', status, headers, body: read.data };
};
