import { type ProblemCode, PROBLEMS } from '../../../libs/contracts/src/index.ts';
import { z } from 'zod';
import type { Answer } from './http.ts';
import { ProblemMembers } from './problem-members.ts';
import { failureText } from './failure-text.ts';

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && code in PROBLEMS;

/** The problem document (RFC 9457) of a refusal, with the members that this one has. */
const Refusal = z
  .strictObject({
    ...ProblemMembers.shape,
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().min(1),
    code: z.custom<ProblemCode>(isCode, 'is not a code of the contracts'),
    request_id: z.guid(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).default([]),
  })
  .refine(({ type, code }) => type === `urn:problem:${code}`, 'type and code differ')
  .refine(({ status, code }) => status === PROBLEMS[code][0], 'this code has another status');
export type Refusal = z.output<typeof Refusal>;

/** The problem of an answer that must be a refusal; `fail` makes the error that says why it is none. */
export const problemOf = (
  answer: Answer,
  fail: (why: string) => Error = (why) => new Error(failureText(answer, why)),
): Refusal => {
  const { status, headers, body } = answer;
  const type = headers.get('content-type') ?? 'none';
  if (!type.startsWith('application/problem+json')) throw fail(`a problem document was expected, not ${type}`);
  const { data, error } = Refusal.safeParse(body);
  if (data === undefined) throw fail(`the problem is not as the contracts say:\n${error.message}`);
  if (data.status !== status) throw fail('the problem names another status');
  if (data.request_id !== headers.get('x-request-id')) throw fail('the problem names another request');
  return data;
};

/** Where a request is wrong: the status of its refusal, and the JSON Pointer of each error. */
export const placesOf = ({ status, errors }: Refusal): (number | string)[] => [
  status,
  ...errors.map(({ path }) => path),
];
