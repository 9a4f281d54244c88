import fc from 'fast-check';
import type { AnyCall, Role } from '@teaching/contracts';
import { schemaOf } from '../../../../tools/developers/contracts/record.ts';
import type { Schema } from '../../../../tools/developers/contracts/schema.ts';
import type { HeaderValues } from '../../../../tools/proofs/test/http.ts';
import { isJson } from '../../src/docs/json-schema.ts';
import type { PreparedRequest } from '../contract-requests.ts';
import { invalidValue, valuesOf } from './random-values.ts';

/** A request of any form, with any headers. */
export interface RandomRequest extends PreparedRequest {
  headers: HeaderValues;
}
/**
 * The ways to derive a request from one that succeeds. `ready` is that request itself; listed twice, so that a third of
 * all are accepted.
 */
export const WAYS = ['ready', 'any', 'spoilt', 'ready', 'more', 'headed'] as const;
export type Way = (typeof WAYS)[number];

const HEADERS: readonly HeaderValues[] = [
  { 'if-match': '"999999"' },
  { 'if-match': 'x'.repeat(500) },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'yesterday' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'idempotency-key': 'said once' },
  { 'x-consistency-token': 'AAAA' },
  { 'x-request-id': "'; --" },
  { accept: 'image/png' },
  { accept: 'text/csv' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { traceparent: '00-0-0-00' },
  { range: 'bytes=0-' },
  { 'accept-language': 'x'.repeat(2_000) },
];

const membersOf = (schema: Schema, ids: readonly string[]) => valuesOf(schema, schema, ids);
const known = new Map<string, Record<'body' | 'query', fc.Arbitrary<unknown>>>();
/** The schemas of a call. */
const takenBy = (call: AnyCall, ids: readonly string[]) => {
  const found = known.get(call.id) ?? {
    body: membersOf(schemaOf(call.body, 'input'), ids),
    query: membersOf(schemaOf(call.query, 'input'), ids),
  };
  known.set(call.id, found);
  return found;
};
const hasMembers = (value: unknown): boolean => isJson(value) && Object.keys(value).length > 0;

/** Requests to a call, derived in this way from one that succeeds; `ids` are ids of existing records. */
export const randomRequests = (
  call: AnyCall,
  ready: PreparedRequest,
  way: Way,
  ids: readonly string[],
): fc.Arbitrary<RandomRequest> => {
  const said = { ...ready, headers: {} };
  const { body, query } = takenBy(call, ids);
  switch (way) {
    case 'ready':
      return fc.constant(said);
    case 'any':
      return fc
        .record({ body, query })
        .map((made) => ({ ...said, ...made, query: made.query as RandomRequest['query'] }));
    case 'more':
      return fc.record({ body, query }).map((made) => ({
        ...said,
        body: ready.body === undefined ? undefined : { ...(made.body as object), ...ready.body },
        query: { ...(made.query as object), ...ready.query },
      }));
    case 'spoilt':
      return fc.oneof(
        invalidValue(ready.query).map((wrong) => ({ ...said, query: wrong as RandomRequest['query'] })),
        ...(call.http?.method === 'GET' ? [] : [invalidValue(ready.body).map((wrong) => ({ ...said, body: wrong }))]),
        ...(hasMembers(ready.path)
          ? [invalidValue(ready.path).map((wrong) => ({ ...said, path: wrong as RandomRequest['path'] }))]
          : []),
      );
    case 'headed':
      return fc.constantFrom(...HEADERS).map((headers) => ({ ...said, headers }));
  }
};

/** The sender of the nth request to a call: each permitted role in turn. */
export const senderOf = (call: AnyCall, n: number): Role => {
  const roles = Array.isArray(call.who) ? call.who : [];
  return roles[n % roles.length] ?? 'SUPERVISOR';
};
