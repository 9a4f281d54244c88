import type { AnyCall } from '@teaching/contracts';
import { z } from 'zod';
import type { Json } from './json.ts';

const text = (description: string, example: string): Json => ({ description, schema: { type: 'string' }, example });

/** Headers of answers, each declared once. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'x-request-id': {
    description: 'The request: what the caller sent under this name if it was a UUID, else made for it',
    schema: { type: 'string', format: 'uuid' },
    example: '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10',
  },
  RateLimit: text(
    'Requests left (`r`) of the user and of the organization, and seconds in which there will be no more (`t`)',
    '"user";r=5999;t=60, "org";r=59999;t=60',
  ),
  'RateLimit-Policy': text(
    'Requests (`q`) in any so many seconds (`w`), of one user and of one organization',
    '"user";q=6000;w=60, "org";q=60000;w=60',
  ),
  'Retry-After': {
    description: 'Seconds to wait before the next try',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  ETag: text('The version of the record, for `If-Match` and `If-None-Match`', '"3"'),
  'x-consistency-token': text(
    'Proof of this write; a read of statistics that sends it back waits for it',
    'djE6Y2xheno',
  ),
  'WWW-Authenticate': text('How to say who one is', 'Bearer'),
};

export const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** On every answer to a caller who is known. */
export const COMMON = ['x-request-id', 'RateLimit', 'RateLimit-Policy'] as const;

/** Whether its answer has an ETag: whatever shows its version. */
export const hasEtag = ({ output }: AnyCall): boolean => output instanceof z.ZodObject && 'version' in output.shape;

/** The headers of a call's success. */
export const successHeaders = (call: AnyCall): Json =>
  headerRefs(
    ...COMMON,
    ...(hasEtag(call) || call.also === 'text/calendar' ? ['ETag'] : []),
    ...(call.writes ? ['x-consistency-token'] : []),
  );
