import type { z } from 'zod';
import type { AnyCall } from './call.ts';
import type { ProblemCode } from './problem.ts';
import { isObject, partsOf } from './schema-parts.ts';

const COMMON: readonly ProblemCode[] = ['invalid_request', 'rate_limited', 'internal', 'unavailable'];
const OF_WRITES: readonly ProblemCode[] = ['idempotency_in_flight', 'idempotency_mismatch', 'outcome_unknown'];
const OF_CALLERS: readonly ProblemCode[] = ['unauthenticated', 'forbidden'];
const OF_BODIES: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];

const isId = (name: string): boolean => /(^|_)ids?$/.test(name);

/** Whether a request can contain the id of a record that does not exist for the caller. */
const namesRecords = (schema: z.ZodType, seen = new Set<z.ZodType>()): boolean => {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (isObject(schema) && Object.keys(schema.shape).some(isId)) return true;
  return partsOf(schema, 'input').some((part) => namesRecords(part, seen));
};

/** All error codes of a call with a route: those that follow from its declaration, and its own `errors`. */
export const refusalsOf = (call: AnyCall): readonly ProblemCode[] => {
  const names = Object.keys(call.path.shape).length > 0 || [call.query, call.body].some((part) => namesRecords(part));
  const codes: ProblemCode[] = [
    ...COMMON,
    ...(call.who === 'anyone' ? [] : OF_CALLERS),
    ...(names ? (['not_found'] as const) : []),
    ...(call.http?.method === 'GET' ? [] : OF_BODIES),
    ...(call.writes ? OF_WRITES : (['timeout'] as const)),
    ...call.errors,
  ];
  return [...new Set(codes)];
};
