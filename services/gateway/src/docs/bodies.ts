import type { AnyCall } from '@teaching/contracts';
import { z } from 'zod';
import { exampleOf, isJson, type Json } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

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
const successHeaders = (call: AnyCall): Json =>
  headerRefs(
    ...COMMON,
    ...(hasEtag(call) || call.also === 'text/calendar' ? ['ETag'] : []),
    ...(call.writes ? ['x-consistency-token'] : []),
  );

const CSV = {
  type: 'string',
  description:
    'All rows as CSV (RFC 4180) in UTF-8, with headings in the first row. A text that a spreadsheet would take for a formula has an ' +
    'apostrophe in front',
};

const isEmpty = (schema: Json): boolean =>
  isJson(schema['properties']) && Object.keys(schema['properties']).length === 0;

/** What is sent and answered, with an example of each that stands once, under `components`. */
export class Bodies {
  readonly examples: Record<string, Json> = {};
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** What may be sent, if anything; it must be where the contract takes no call without it. */
  sent(call: AnyCall): Json {
    if (call.http?.method === 'GET' || isEmpty(this.#schemas.whole(call.body, 'input'))) return {};
    const required = !call.body.safeParse(undefined).success;
    const content = { 'application/json': this.#shown(call.body, 'input') };
    return { requestBody: { description: `At most ${call.max_body / 1_024} KiB`, required, content } };
  }

  /** The answers of success, by status. */
  answered(call: AnyCall): Json {
    const headers = successHeaders(call);
    if (call.status === 204) return { 204: { description: 'Done', headers } };
    const content = this.#contentOf(call);
    const isUnchanged = call.http?.method === 'GET' && 'ETag' in headers;
    return {
      [call.status]: { description: call.status === 201 ? 'Made' : 'Done', headers, content },
      ...(call.again === null
        ? {}
        : { [call.again]: { description: 'Was there already, and is changed', headers, content } }),
      ...(isUnchanged ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
    };
  }

  #contentOf({ also, output }: AnyCall): Json {
    // What one event says.
    if (also === 'text/event-stream') return { [also]: this.#shown(output, 'output') };
    return {
      ...(also === 'text/calendar' ? {} : { 'application/json': this.#shown(output, 'output') }),
      ...(also === null ? {} : { [also]: { schema: also === 'text/csv' ? CSV : { type: 'string' } } }),
    };
  }

  /** A schema with an example, if the one made for it is valid: a wrong example is worse than none. */
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
