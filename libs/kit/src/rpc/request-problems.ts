import { type AnyCall, type FieldProblem, Problem, takesWriteToken } from '@teaching/contracts';
import type { Signer } from '../base/signer.ts';
import { studentProblems } from './acting-for.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { type RawInput, invalid } from './parse-input.ts';
import { CURSOR_PROBLEM, cursorPurpose, isCursorOf, writeTokenProblem } from './tokens.ts';

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
 * The problem of the cursor, as far as it is known without its list. Only the list itself knows whether a cursor fits
 * its conditions; it is asked for a valid request only.
 */
const cursorProblems = (call: AnyCall, head: IdentifiedHead, signer: Signer): FieldProblem[] => {
  const cursor = 'cursor' in call.query.shape ? new URLSearchParams(head.query).get('cursor') : null;
  return cursor === null || isCursorOf(signer, cursorPurpose(call, head.org_id), cursor) ? [] : [CURSOR_PROBLEM];
};

const tokenProblem = (call: AnyCall, { org_id, consistency_token }: IdentifiedHead, signer: Signer) =>
  consistency_token !== undefined && takesWriteToken(call)
    ? writeTokenProblem(signer, org_id, consistency_token)
    : undefined;

/** Adds a forged cursor and a forged consistency token to a refusal, so that one answer names all problems. */
export const withForgedValues = (error: unknown, call: AnyCall, head: IdentifiedHead, signer: Signer): unknown => {
  if (!(error instanceof Problem) || error.code !== 'invalid_request') return error;
  const { errors = [], detail } = error.extra;
  const cursor = errors.some(({ path }) => path === CURSOR_PROBLEM.path) ? [] : cursorProblems(call, head, signer);
  const token = tokenProblem(call, head, signer);
  if (cursor.length === 0 && token === undefined) return error;
  // The detail of other refusals of fields is their number.
  const known = errors.length === 0 ? detail : keyProblem(head);
  const headers = [...new Set([known, token])].filter((problem) => problem !== undefined);
  return invalid([...errors, ...cursor], headers.length === 0 ? undefined : headers.join('. '));
};
