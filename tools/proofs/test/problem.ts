import { type ProblemCode, PROBLEMS } from '../../../libs/contracts/src/index.ts';
import { z } from 'zod';
import type { Answer } from './http.ts';
import { ProblemMembers } from './problem-members.ts';
import { failureText } from './failure-text.ts';

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && code in PROBLEMS;

/** The problem document (RFC 9457) of a refusal, with the members of all codes. */
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
  .refine(({ status, code }) => status === PROBLEMS[code][0], 'the code belongs to another status');
export type Refusal = z.output<typeof Refusal>;

/** The problem of an answer that must be a refusal. `fail` creates the error when it is not. */
export const problemOf = (
  answer: Answer,
  fail: (why: string) => Error = (why) => new Error(failureText(answer, why)),
): Refusal => {
  const { status, headers, body } = answer;
  const type = headers.get('content-type') ?? 'none';
  if (!type.startsWith('application/problem+json')) throw fail(`expected a problem document, not ${type}`);
  const { data, error } = Refusal.safeParse(body);
  if (data === undefined) throw fail(`the problem differs from the contracts:\n${error.message}`);
  if (data.status !== status) throw fail('the problem contains another status');
  if (data.request_id !== headers.get('x-request-id')) throw fail('the problem contains another request id');
  return data;
};

/** The status of a refusal and the JSON Pointer of each error. */
export const errorPaths = ({ status, errors }: Refusal): (number | string)[] => [
  status,
  ...errors.map(({ path }) => path),
];
