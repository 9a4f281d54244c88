import { type ProblemCode, PROBLEMS } from '../../libs/contracts/src/index.ts';
import { z } from 'zod';

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && code in PROBLEMS;

/** The problem document (RFC 9457) of a refusal. A member it does not always have is in it under its own name. */
export const Refusal = z
  .looseObject({
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
