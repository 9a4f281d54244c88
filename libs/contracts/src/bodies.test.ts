import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyCall, LARGEST_BODY } from './call.ts';
import { allCalls } from './registry.ts';

type Json = z.core.JSONSchema.JSONSchema;

/** Length of a character as `\uXXXX`. */
const ESCAPED = 6;
/** Length of the longest text that matches a pattern without a maximum length: an id of a person. */
const LONGEST_BY_PATTERN = 128;
const NUMBER = 25;

const textBytes = (length: number): number => length * ESCAPED + 2;

/** Bytes of the longest value that a schema accepts, with every character escaped; `Infinity` without a limit. */
const maxBytes = (schema: Json | boolean, root: Json): number => {
  if (typeof schema === 'boolean') return schema ? Infinity : 0;
  const of = (part: Json | boolean): number => maxBytes(part, root);
  if (schema.$ref !== undefined) return of(root.$defs?.[schema.$ref.slice('#/$defs/'.length)] ?? true);
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  if (schema.enum !== undefined) return Math.max(...schema.enum.map((one) => JSON.stringify(one).length));
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return Math.max(...options.map(of));
  if (schema.allOf !== undefined) return Math.min(...schema.allOf.map(of));
  if (Array.isArray(schema.type)) return Math.max(...schema.type.map((type) => of({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return textBytes(schema.maxLength ?? ((schema.format ?? schema.pattern) ? LONGEST_BY_PATTERN : Infinity));
    case 'integer':
    case 'number':
      return NUMBER;
    case 'boolean':
    case 'null':
      return 'false'.length;
    case 'array':
      return (
        2 + (schema.maxItems ?? Infinity) * ((Array.isArray(schema.items) ? Infinity : of(schema.items ?? true)) + 1)
      );
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(
        ([name, part]) => textBytes(0) + name.length + 2 + of(part),
      );
      return 2 + members.reduce((sum, one) => sum + one, 0) + (schema.additionalProperties === false ? 0 : Infinity);
    }
    case undefined:
      return Infinity;
  }
};

const bodies = allCalls.filter(({ http }) => http !== null && http.method !== 'GET');
const needed = ({ body }: AnyCall): number => {
  const root: Json = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  return Math.min(maxBytes(root, root), LARGEST_BODY);
};

describe('The maximum size of a body', () => {
  it('admits every valid body, with any escaping', () => {
    const short = bodies.filter((call) => call.max_body < needed(call));
    expect(short.map((call) => `${call.id} ${call.max_body} ${needed(call)}`)).toEqual([]);
  });

  it('is at most LARGEST_BODY, and 16 KiB for more than half of the calls', () => {
    const wide = bodies.filter(({ max_body }) => max_body > LARGEST_BODY);
    expect(wide.map(({ id }) => id)).toEqual([]);
    const small = bodies.filter((call) => call.max_body === 16_384);
    expect(small.length).toBeGreaterThan(bodies.length / 2);
  });
});
