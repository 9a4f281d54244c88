import { type AnyCall, takesWriteToken } from '@teaching/contracts';
import type { z } from 'zod';
import { hasEtag } from './bodies.ts';
import { descriptionOf } from './field-descriptions.ts';
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
  'Key that makes the write safe to repeat, 1 to 255 characters. For 24 hours a repeated request gets the first response and has no second effect',
  { minLength: 1, maxLength: 255 },
);
const MATCH = header(
  'If-Match',
  'The ETag on which the change is based. If the record has another ETag now, the answer is 412 and nothing changes',
);
const NONE_MATCH = header(
  'If-None-Match',
  'The ETag that the client has. If the record still has it, the answer is 304',
);
const TOKEN = header(
  'x-consistency-token',
  'Token from the response of a write. The read waits up to two seconds until the figures contain the write',
);
const LAST = header('Last-Event-ID', 'Id of the last event that the client received. The stream continues after it');
const REQUEST = header('x-request-id', 'Id of the request, a UUID. Default: a new id', { format: 'uuid' });

const headersOf = (call: AnyCall): Json[] => [
  ...(call.writes ? [KEY] : []),
  ...(call.errors.includes('version_mismatch') ? [MATCH] : []),
  ...(call.http?.method === 'GET' && hasEtag(call) ? [NONE_MATCH] : []),
  ...(takesWriteToken(call) ? [TOKEN] : []),
  ...(call.other_type === 'text/event-stream' ? [LAST] : []),
  REQUEST,
];

const valuesOf = (schemas: Schemas, type: z.ZodObject, place: Place): Json[] => {
  const { properties = {}, required = [] } = schemas.inlined(type, 'input');
  if (!isJson(properties) || !Array.isArray(required)) return [];
  return Object.entries(properties).map(([name, value]) => {
    const { description = descriptionOf(name, ''), ...schema } = isJson(value) ? value : {};
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

/** Parameters of calls. Equal parameters share one component. */
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

  /** The component name of an equal parameter, or a new name. */
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
