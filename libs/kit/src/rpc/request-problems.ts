import { type AnyCall, type FieldProblem, Problem } from '@teaching/contracts';
import type { Signer } from '../base/signer.ts';
import { studentProblems } from './acting-for.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { type RawInput, invalid } from './parse-input.ts';
import { CURSOR_PROBLEM, cursorPurpose, isCursorOf } from './tokens.ts';

const MAX_KEY = 255;

/** The problem of the header `Idempotency-Key`. */
const keyProblem = ({ idempotency_key: key }: IdentifiedHead): string | undefined =>
  key === undefined || (key.length > 0 && key.length <= MAX_KEY)
    ? undefined
    : `Idempotency-Key must have 1 to ${MAX_KEY} characters`;

/** A parameter of CSV exports has no effect on JSON. */
const csvProblems = (call: AnyCall, { accept }: IdentifiedHead, { query }: RawInput): FieldProblem[] =>
  call.other_type === 'text/csv' && query['bom'] !== undefined && accept !== 'text/csv'
    ? [{ path: '/query/bom', message: 'applies to CSV only: send Accept: text/csv' }]
    : [];

/** Problems of a request that depend on its headers or its caller, so that a schema cannot find them. */
export const requestProblems = (
  call: AnyCall,
  head: IdentifiedHead,
  input: RawInput,
): { errors: FieldProblem[]; detail: string | undefined } => ({
  errors: [...csvProblems(call, head, input), ...studentProblems(call, head, input)],
  detail: keyProblem(head),
});

/**
 * Adds a forged cursor to a refusal of the input, so that one answer names all problems. Only the list itself knows
 * whether a cursor fits its conditions; it is asked for a valid request only.
 */
export const withForgedCursor = (error: unknown, call: AnyCall, head: IdentifiedHead, signer: Signer): unknown => {
  if (!(error instanceof Problem) || error.code !== 'invalid_request' || !('cursor' in call.query.shape)) return error;
  const cursor = new URLSearchParams(head.query).get('cursor');
  const { errors = [], detail } = error.extra;
  const isNamed = errors.some(({ path }) => path === CURSOR_PROBLEM.path);
  if (cursor === null || isNamed || isCursorOf(signer, cursorPurpose(call, head.org_id), cursor)) return error;
  // The detail of other refusals of fields is their number.
  return invalid([...errors, CURSOR_PROBLEM], errors.length === 0 ? detail : keyProblem(head));
};
