import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyCall, LARGEST_BODY } from './call.ts';
import { allCalls } from './registry.ts';

type Json = z.core.JSONSchema.JSONSchema;

/** A character as `\uXXXX`. */
const ESCAPED = 6;
/** What a pattern lets through that names no length: ids of people are the longest. */
const LONGEST_BY_PATTERN = 128;
const NUMBER = 25;

const textBytes = (length: number): number => length * ESCAPED + 2;

/** Bytes of the longest value a schema takes, every character of its texts escaped; `Infinity` where it sets no bound. */
const mostBytes = (schema: Json | boolean, root: Json): number => {
  if (typeof schema === 'boolean') return schema ? Infinity : 0;
  const of = (part: Json | boolean): number => mostBytes(part, root);
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
  return Math.min(mostBytes(root, root), LARGEST_BODY);
};

describe('a body', () => {
  it('may be as long as what its call takes, however it is escaped', () => {
    const short = bodies.filter((call) => call.max_body < needed(call));
    expect(short.map((call) => `${call.id} ${call.max_body} ${needed(call)}`)).toEqual([]);
  });

  it('may be no longer than anybody reads, and is small where little is taken', () => {
    const wide = bodies.filter(({ max_body }) => max_body > LARGEST_BODY);
    expect(wide.map(({ id }) => id)).toEqual([]);
    const small = bodies.filter((call) => call.max_body === 16_384);
    expect(small.length).toBeGreaterThan(bodies.length / 2);
  });
});
