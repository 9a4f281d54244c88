import { type AnyCall, DECIMALS, type EventDef, SEVERAL, WHOLE_NUMBERS } from '@teaching/contracts';
import { z } from 'zod';
import { describeAll } from './describe.ts';
import { isJson, type Json } from './json-schema.ts';
import { Names } from './schema-names.ts';

type Io = 'input' | 'output';

/** Formats that make the pattern redundant. */
const COMPLETE_FORMATS = new Set<unknown>(['uuid', 'date', 'date-time']);
const COMPONENT = '#/components/schemas/';

/** Improves the JSON Schema of zod: numbers sent as text get numeric types, and responses accept new fields. */
const refine = (zodSchema: z.core.$ZodType, json: Json, io: Io): void => {
  const whole = WHOLE_NUMBERS.get(zodSchema);
  const decimal = DECIMALS.get(zodSchema);
  const { item } = SEVERAL.get(zodSchema) ?? {};
  if (item instanceof z.ZodType) {
    const { $schema: _dialect, ...items } = z.toJSONSchema(item, { io, unrepresentable: 'any' });
    Object.assign(json, { type: 'array', items });
  }
  if (whole !== undefined) {
    delete json['pattern'];
    Object.assign(json, { type: 'integer', ...whole });
  }
  if (decimal !== undefined && Array.isArray(json['anyOf'])) {
    for (const one of json['anyOf']) if (isJson(one) && one['type'] === 'number') Object.assign(one, decimal);
  }
  if (io === 'output' && json['additionalProperties'] === false) delete json['additionalProperties'];
  if (COMPLETE_FORMATS.has(json['format'])) delete json['pattern'];
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  if (zodSchema instanceof z.ZodNullable) mergeNull(json);
  if (zodSchema instanceof z.ZodLazy) {
    // Code generators fail on recursive types.
    for (const key of Object.keys(json)) if (key !== 'id') delete json[key];
    json['description'] = 'Any JSON value';
  }
};

/** Writes a nullable plain type as a list of types, and moves the description to the union. */
const mergeNull = (json: Json): void => {
  const [first] = Array.isArray(json['anyOf']) ? json['anyOf'] : [];
  if (isJson(first) && typeof first['description'] === 'string' && json['description'] === undefined) {
    json['description'] = first['description'];
    delete first['description'];
  }
  if (!isJson(first) || typeof first['type'] !== 'string' || 'enum' in first || 'const' in first) return;
  delete json['anyOf'];
  Object.assign(json, first, { type: [first['type'], 'null'] });
};

const mapRefs = (value: unknown, change: (ref: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapRefs(one, change));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key,
      key === '$ref' && typeof it === 'string' ? change(it) : mapRefs(it, change),
    ]),
  );
};

/** JSON Schemas of requests and responses. A schema with a name is a shared component. */
export class Schemas {
  readonly components: Record<string, Json> = {};
  readonly #names: Names;
  readonly #whole = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };

  constructor(calls: readonly AnyCall[], events: readonly EventDef[] = []) {
    this.#names = new Names(calls, events);
  }

  /** The schema for an operation: a reference if it has a name. */
  of(schema: z.ZodType, io: Io): Json {
    const { root, defs } = this.#convert(schema, io, this.#names);
    for (const [name, json] of Object.entries(defs)) this.components[name] ??= describeAll(json, name);
    return root;
  }

  /** The complete schema without references. */
  whole(schema: z.ZodType, io: Io): Json {
    const known = this.#whole[io].get(schema) ?? this.#convert(schema, io, undefined).root;
    this.#whole[io].set(schema, known);
    return known;
  }

  #convert(schema: z.ZodType, io: Io, names: Names | undefined): { root: Json; defs: Record<string, Json> } {
    const metadata = z.registry<{ id?: string }>();
    const known = z.globalRegistry;
    const nameOf = (it: z.core.$ZodType): string | undefined =>
      it instanceof z.ZodType ? names?.of(it, io) : undefined;
    metadata.get = (it) => {
      const id = nameOf(it);
      const meta = known.get(it);
      return id === undefined ? meta : { ...meta, id };
    };
    const all = z.toJSONSchema(z.object({ root: schema }), {
      io,
      metadata,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema as Json, io),
    });
    const { $defs = {}, properties } = mapRefs(all, (ref) => ref.replace('#/$defs/', COMPONENT)) as {
      $defs?: Record<string, Json>;
      properties: { root: Json };
    };
    const defs = Object.entries($defs).map(([name, { id: _id, ...json }]): [string, Json] => [name, json]);
    return { root: properties.root, defs: Object.fromEntries(defs) };
  }
}
