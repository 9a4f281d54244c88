import type { AnyCall } from '@teaching/contracts';
import type { z } from 'zod';
import { successHeaders } from './answer-headers.ts';
import { exampleOf } from './example.ts';
import { isJson, type Json } from './json.ts';
import type { Schemas } from './schemas.ts';

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
