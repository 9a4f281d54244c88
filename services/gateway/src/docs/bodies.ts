import type { AnyCall } from '@teaching/contracts';
import { z } from 'zod';
import { exampleOf, isJson, type Json } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

const text = (description: string, example: string): Json => ({ description, schema: { type: 'string' }, example });

/** Response headers, each declared once. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'x-request-id': {
    description: 'Id of the request: the value that the client sent if it is a UUID, otherwise a new one',
    schema: { type: 'string', format: 'uuid' },
    example: '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10',
  },
  RateLimit: text(
    'Requests (`r`) that the user and the organization have left for the next `t` seconds',
    '"user";r=5999;t=60, "org";r=59999;t=60',
  ),
  'RateLimit-Policy': text(
    'Maximum requests (`q`) in a window of seconds (`w`), for one user and for one organization',
    '"user";q=6000;w=60, "org";q=60000;w=60',
  ),
  'Retry-After': {
    description: 'Seconds to wait before the next request',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  ETag: text('Version of the record, for `If-Match` and `If-None-Match`', '"3"'),
  'x-consistency-token': text(
    'Token of this write. A read of statistics that sends it waits until the figures contain the write',
    'djE6Y2xheno',
  ),
  'WWW-Authenticate': text('Authentication scheme', 'Bearer'),
};

export const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of all responses to authenticated callers. */
export const COMMON = ['x-request-id', 'RateLimit', 'RateLimit-Policy'] as const;

/** Whether the response has an ETag: it does if the record has a version. */
export const hasEtag = ({ output }: AnyCall): boolean => output instanceof z.ZodObject && 'version' in output.shape;

/** The headers of a successful response. */
const successHeaders = (call: AnyCall): Json =>
  headerRefs(
    ...COMMON,
    ...(hasEtag(call) || call.also === 'text/calendar' ? ['ETag'] : []),
    ...(call.writes ? ['x-consistency-token'] : []),
  );

const CSV = {
  type: 'string',
  description:
    'All rows as CSV (RFC 4180) in UTF-8, with column names in the first row. A text that a spreadsheet would read as a formula ' +
    'begins with an apostrophe',
};

const isEmpty = (schema: Json): boolean =>
  isJson(schema['properties']) && Object.keys(schema['properties']).length === 0;

/** Request and response bodies. Each example is a shared component. */
export class Bodies {
  readonly examples: Record<string, Json> = {};
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** The `requestBody` of an operation, if it has one. It is required if the contract refuses a call without a body. */
  sent(call: AnyCall): Json {
    if (call.http?.method === 'GET' || isEmpty(this.#schemas.whole(call.body, 'input'))) return {};
    const required = !call.body.safeParse(undefined).success;
    const content = { 'application/json': this.#shown(call.body, 'input') };
    return { requestBody: { description: `At most ${call.max_body / 1_024} KiB`, required, content } };
  }

  /** The successful responses, by status. */
  answered(call: AnyCall): Json {
    const headers = successHeaders(call);
    if (call.status === 204) return { 204: { description: 'Success, without a body', headers } };
    const content = this.#contentOf(call);
    const isUnchanged = call.http?.method === 'GET' && 'ETag' in headers;
    return {
      [call.status]: { description: call.status === 201 ? 'Created' : 'Success', headers, content },
      ...(call.again === null
        ? {}
        : { [call.again]: { description: 'The record existed and was updated', headers, content } }),
      ...(isUnchanged ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
    };
  }

  #contentOf({ also, output }: AnyCall): Json {
    // The schema describes the data of one event.
    if (also === 'text/event-stream') return { [also]: this.#shown(output, 'output') };
    return {
      ...(also === 'text/calendar' ? {} : { 'application/json': this.#shown(output, 'output') }),
      ...(also === null ? {} : { [also]: { schema: also === 'text/csv' ? CSV : { type: 'string' } } }),
    };
  }

  /** A schema with an example. An example that the schema does not accept is omitted. */
  #shown(type: z.ZodType, io: 'input' | 'output'): Json {
    const schema = this.#schemas.of(type, io);
    const value = exampleOf(this.#schemas.whole(type, io));
    const name = nameIn(schema);
    if (name === undefined || !type.safeParse(value).success) return { schema };
    this.examples[name] ??= { summary: name, value };
    return { schema, examples: { example: { $ref: `#/components/examples/${name}` } } };
  }
}

const nameIn = ({ $ref }: Json): string | undefined =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
