import type { AnyCall } from '@teaching/contracts';
import type { z } from 'zod';
import { hasEtag } from './bodies.ts';
import { meaningOf } from './describe.ts';
import { isJson, type Json } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

type Place = 'path' | 'query' | 'header';

const header = (name: string, description: string, schema: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
});

const KEY = header(
  'Idempotency-Key',
  'Repeating a request with the same key has no second effect: for 24 hours the answer is that of the first time',
  { minLength: 1, maxLength: 255 },
);
const MATCH = header(
  'If-Match',
  'The ETag the change is based on; when it is no longer the current one, nothing is done',
);
const NONE_MATCH = header('If-None-Match', 'The ETag of what the caller has; while it is current, the answer is 304');
const TOKEN = header('x-consistency-token', 'From the answer of a write: the figures wait for it, two seconds at most');
const LAST = header('Last-Event-ID', 'The id of the last event that was heard: what came after it is told first');
const REQUEST = header('x-request-id', 'A name for the request, to find it again', { format: 'uuid' });

const headersOf = (call: AnyCall): Json[] => [
  ...(call.writes ? [KEY] : []),
  ...(call.errors.includes('version_mismatch') ? [MATCH] : []),
  ...(call.http?.method === 'GET' && hasEtag(call) ? [NONE_MATCH] : []),
  ...(call.service === 'stats' ? [TOKEN] : []),
  ...(call.also === 'text/event-stream' ? [LAST] : []),
  REQUEST,
];

const valuesOf = (schemas: Schemas, type: z.ZodObject, place: Place): Json[] => {
  const { properties = {}, required = [] } = schemas.whole(type, 'input');
  if (!isJson(properties) || !Array.isArray(required)) return [];
  return Object.entries(properties).map(([name, value]) => {
    const { description = meaningOf(name, ''), ...schema } = isJson(value) ? value : {};
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      schema,
    };
  });
};

/** Parameters of calls. Equal ones stand once, under `components`. */
export class Parameters {
  readonly components: Record<string, Json> = {};
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  of(call: AnyCall): Json[] {
    const all = [
      ...valuesOf(this.#schemas, call.path, 'path'),
      ...valuesOf(this.#schemas, call.query, 'query'),
      ...headersOf(call),
    ];
    return all.map((one) => ({ $ref: `#/components/parameters/${this.#nameOf(one)}` }));
  }

  /** The name of an equal one, or a new name. */
  #nameOf(parameter: Json): string {
    const wanted = `${String(parameter['in'])}.${String(parameter['name'])}`;
    const same = JSON.stringify(parameter);
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? wanted : `${wanted}.${n}`;
      const known = this.components[name];
      if (known === undefined) this.components[name] = parameter;
      if (known === undefined || JSON.stringify(known) === same) return name;
    }
  }
}
