import fc from 'fast-check';
import {
  isSchema,
  type Json,
  listAt,
  optionsOf,
  type Schema,
  schemaAt,
} from '../../../../tools/developers/contracts/schema.ts';

const DAY_MS = 86_400_000;
const [FIRST, LAST] = [Date.parse('1970-01-02'), Date.parse('2999-12-30')];

const numberAt = (schema: Schema, key: string, otherwise: number): number => {
  const found = schema[key];
  return typeof found === 'number' ? found : otherwise;
};

/** Text in any script that can be stored. */
const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('数学 😀', '=1+1', "'; drop table lesson; --", '<b>', '%_\\', '\r\n', 'نص', 'é'.normalize('NFD')),
);
const storable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

const instants = fc.integer({ min: FIRST / DAY_MS, max: LAST / DAY_MS }).map((day) => new Date(day * DAY_MS));
const TEXTS: Readonly<Record<string, (ids: readonly string[]) => fc.Arbitrary<string>>> = {
  uuid: (ids) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, fc.uuid()),
  'date-time': () => instants.map((at) => at.toISOString()),
  date: () => instants.map((at) => at.toISOString().slice(0, 10)),
};

const texts = (schema: Schema, ids: readonly string[]): fc.Arbitrary<string> => {
  const { format, pattern } = schema;
  const known = typeof format === 'string' ? TEXTS[format]?.(ids) : undefined;
  if (known !== undefined) return known;
  // Names of people and marks: not every text generator knows these character classes.
  if (typeof pattern === 'string' && pattern.includes('\\p{'))
    return fc
      .constantFrom('ann', 'bob', 'lee', 'x-1', '学生', 'a.b:c_d')
      .filter((text) => new RegExp(pattern, 'u').test(text));
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const [min, max] = [numberAt(schema, 'minLength', 0), numberAt(schema, 'maxLength', 1_000)];
  return words.filter((text) => storable(text) && text.trim().length >= min && text.length <= max);
};

const wholes = (schema: Schema): fc.Arbitrary<number> => {
  const least = numberAt(schema, 'minimum', -1_000_000);
  const most = Math.min(numberAt(schema, 'maximum', 1_000_000), Number.MAX_SAFE_INTEGER);
  return fc.oneof(
    fc.integer({ min: least, max: Math.min(most, least + 20) }),
    fc.maxSafeInteger().map((n) => least + (Math.abs(n) % (most - least + 1))),
  );
};

const objects = (schema: Schema, root: Schema, ids: readonly string[], depth: number): fc.Arbitrary<Json> => {
  const members = schemaAt(schema, 'properties');
  const required = listAt(schema, 'required').filter((name) => typeof name === 'string');
  const made = Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) =>
      isSchema(member) ? [[name, valuesOf(member, root, ids, depth + 1)]] : [],
    ),
  );
  const named = fc.record(made, { requiredKeys: required });
  const more = schema['additionalProperties'];
  if (!isSchema(more) || Object.keys(members).length > 0) return named;
  return fc.dictionary(
    fc.string({ minLength: 1, maxLength: 8 }).filter(storable),
    valuesOf(more, root, ids, depth + 1),
    {
      maxKeys: 3,
    },
  );
};

const one = (schema: Schema, root: Schema, ids: readonly string[], depth: number): fc.Arbitrary<Json> => {
  const { const: fixed, type } = schema;
  if (fixed !== undefined) return fc.constant(fixed);
  switch (typeof type === 'string' ? type : '') {
    case 'string':
      return texts(schema, ids);
    case 'integer':
      return wholes(schema);
    case 'number':
      return wholes(schema).map((value) => value / 100);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const least = numberAt(schema, 'minItems', 0);
      const most = Math.min(numberAt(schema, 'maxItems', 3), least + 3);
      const items = schema['items'];
      return fc.array(isSchema(items) ? valuesOf(items, root, ids, depth + 1) : fc.constant(null), {
        minLength: least,
        maxLength: most,
      });
    }
    case 'object':
      return objects(schema, root, ids, depth);
    default:
      return fc.constantFrom(null, true, 1, 'x');
  }
};

/** Deeper than any valid request. */
const DEEP = 6;

/**
 * A random value that matches a JSON Schema, as far as a schema can express it; ids are mostly ids of existing records.
 */
export const valuesOf = (schema: Schema, root: Schema, ids: readonly string[], depth = 0): fc.Arbitrary<Json> => {
  const options = optionsOf(schema, root);
  const flat = options.filter(({ type }) => type !== 'array' && type !== 'object');
  const some = depth > DEEP && flat.length > 0 ? flat : options;
  return some.length === 0 ? fc.constant(null) : fc.oneof(...some.map((option) => one(option, root, ids, depth)));
};

/** Values that almost no field of a request accepts. */
const WRONG: readonly Json[] = [
  null,
  true,
  -1,
  1e300,
  2 ** 53,
  0.1,
  '',
  ' ',
  'x'.repeat(3_000),
  '\u0000',
  '-0',
  '1e5',
  '٣',
  '2026-02-30',
  '2026-01-01T00:00:00',
  'FREQ=SECONDLY',
  [],
  [[]],
  {},
  { length: 1 },
];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same value with one part replaced by a wrong value, or with one more field. */
export const invalidValue = (value: unknown): fc.Arbitrary<unknown> => {
  const wrong = fc.constantFrom(...WRONG);
  if (!isObject(value)) return wrong;
  const names = [...Object.keys(value), 'unheard_of', '__proto__', 'constructor'];
  return fc.tuple(fc.constantFrom(...names), wrong).map(([name, bad]) => {
    const copy = { ...value };
    Object.defineProperty(copy, name, { value: bad, enumerable: true, configurable: true, writable: true });
    return copy;
  });
};
