import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { breakingChanges } from './breaking-changes.ts';
import { schemaOf } from './record.ts';
import type { Side } from './change-texts.ts';

const compare = (before: z.ZodType, after: z.ZodType, side: Side): string[] =>
  breakingChanges(schemaOf(before, side), schemaOf(after, side), side);

const text = z.string();

/** From the first to the second schema nothing breaks for senders; in the other direction the named change breaks. */
const NARROWED: readonly [what: string, wide: z.ZodType, narrow: z.ZodType, says: string][] = [
  ['type', z.number(), z.int(), '/ no longer takes number'],
  ['null', text.nullable(), text, '/ no longer takes null'],
  ['union option', z.union([text, z.int()]), text, '/ no longer takes integer'],
  ['anything', z.unknown(), text, '/ no longer takes anything'],
  ['everything', text, z.never(), '/ no longer takes string'],
  ['enum value', z.enum(['a', 'b']), z.enum(['a']), '/ no longer takes "b"'],
  ['literal', z.literal(['a', 1]), z.literal('a'), '/ no longer takes 1'],
  ['text to enum', text, z.enum(['a']), '/ no longer takes string'],
  ['minimum', z.number(), z.number().min(1), '/ has a tighter minimum: 1 instead of none'],
  ['exclusive minimum', z.number().min(1), z.number().gt(1), '/ has a tighter exclusiveMinimum: 1 instead of none'],
  ['maximum', z.number().max(9), z.number().max(8), '/ has a tighter maximum: 8 instead of 9'],
  ['exclusive maximum', z.number().lt(9), z.number().lt(8), '/ has a tighter exclusiveMaximum: 8 instead of 9'],
  ['divisor', z.number().multipleOf(5), z.number().multipleOf(10), '/ has a tighter multipleOf: 10 instead of 5'],
  [
    'second divisor',
    z.int().multipleOf(4),
    z.int().multipleOf(4).multipleOf(3),
    '/ has a tighter multipleOf: 3 instead of 4',
  ],
  ['length from', text, text.min(1), '/ has a tighter minLength: 1 instead of none'],
  ['length to', text.max(9), text.max(8), '/ has a tighter maxLength: 8 instead of 9'],
  ['pattern', text, text.regex(/^a$/), '/ has a tighter pattern: "^a$" instead of none'],
  ['second pattern', text.regex(/a/), text.regex(/a/).regex(/b/), '/ has a tighter pattern: "b" instead of "a"'],
  ['format', text, text.meta({ format: 'date-time' }), '/ has a tighter format: "date-time" instead of none'],
  ['check in code', text, text.refine(() => true), '/ has a tighter check in code: 1 instead of none'],
  ['check of an enum', z.enum(['a']), z.enum(['a']).refine(() => true), '/ no longer takes "a"'],
  [
    'names by pattern',
    z.looseRecord(text.regex(/^x/), text.nullable()),
    z.looseRecord(text.regex(/^x/), text),
    '/{^x} no longer takes null',
  ],
  ['list length', z.array(text), z.array(text).max(3), '/ has a tighter maxItems: 3 instead of none'],
  ['items', z.array(text.nullable()), z.array(text), '/* no longer takes null'],
  ['tuple', z.tuple([text, text.nullable()]), z.tuple([text, text]), '/1 no longer takes null'],
  ['record value', z.record(text, z.int().nullable()), z.record(text, z.int()), '/{name} no longer takes null'],
  [
    'record key',
    z.record(text, text),
    z.record(text.max(3), text),
    '/(name) has a tighter maxLength: 3 instead of none',
  ],
  [
    'deep field',
    z.object({ a: z.array(z.object({ b: text.nullable() })) }),
    z.object({ a: z.array(z.object({ b: text })) }),
    '/a/*/b no longer takes null',
  ],
];

/** The same, from the reader's side. */
const mirrored = (says: string): string => {
  const [, at = '', keyword, now, old] = /^(\S+) has a tighter ([^:]+): (.*) instead of (.*)$/.exec(says) ?? [];
  if (keyword !== undefined) return `${at} has a wider ${keyword}: ${old} instead of ${now}`;
  return says.replace('no longer takes', 'may now be');
};

describe.each(NARROWED)('%s', (_what, wide, narrow, says) => {
  it('may not be narrowed in what is sent', () => expect(compare(wide, narrow, 'input')).toEqual([says]));
  it('may be widened in what is sent', () => expect(compare(narrow, wide, 'input')).toEqual([]));
  it('may not be widened in what is read', () => expect(compare(narrow, wide, 'output')).toEqual([mirrored(says)]));
  it('may be narrowed in what is read', () => expect(compare(wide, narrow, 'output')).toEqual([]));
  it('may stay as it is', () => {
    for (const type of [wide, narrow])
      for (const side of ['input', 'output'] as const) expect(compare(type, type, side)).toEqual([]);
  });
});

const base = z.object({ a: text });
const kinds = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]);

describe('fields', () => {
  it.each([
    ['a new mandatory field', base, base.extend({ b: text }), ['/b is now mandatory'], []],
    ['a new optional field', base, base.extend({ b: text.optional() }), [], []],
    ['a new field with a default', base, base.extend({ b: text.default('x') }), [], []],
    ['a field that is gone', base.extend({ b: text.optional() }), base, ['/b is gone'], ['/b is gone']],
    ['a mandatory field that is gone', base.extend({ b: text }), base, ['/b is gone'], ['/b is gone']],
    ['a field that became optional', base, base.partial(), [], ['/a may now be missing']],
    ['a field that became mandatory', base.partial(), base, ['/a is now mandatory'], []],
    ['a closed record', base, base.strict(), ['/ takes no further fields any more'], []],
    ['an opened record', base.strict(), base, [], []],
    [
      'a record of any names that is closed',
      z.record(text, text),
      z.strictObject({}),
      ['/ takes no further fields any more'],
      ['/ no longer has fields of any name'],
    ],
    [
      'a field that record had no room for',
      base.catchall(text),
      base.catchall(text).extend({ b: z.int().optional() }),
      ['/b no longer takes string'],
      ['/b may now be integer'],
    ],
    [
      'another default',
      z.object({ a: z.int().default(1) }),
      z.object({ a: z.int().default(2) }),
      ['/a has another default'],
      [],
    ],
    [
      'a removed option of a union',
      kinds,
      z.discriminatedUnion('kind', [kinds.options[0]]),
      ['/kind no longer takes "b"'],
      [],
    ],
    ['a new option of a union', z.discriminatedUnion('kind', [kinds.options[0]]), kinds, [], ['/kind may now be "b"']],
    ['another order of options', z.union([text, z.int()]), z.union([z.int(), text]), [], []],
    ['another description', text.describe('old'), text.describe('new'), [], []],
  ])('%s', (_what, before, after, input, output) => {
    expect(compare(before, after, 'input')).toEqual(input);
    expect(compare(before, after, 'output')).toEqual(output);
  });
});

type Tree = { name: string; below: Tree[] };
const treeOf = (name: z.ZodType<string>): z.ZodType<Tree> => {
  const Node: z.ZodType<Tree> = z.object({ name, below: z.array(z.lazy(() => Node)) });
  return Node;
};

it('compares a recursive record to its end', () => {
  const [before, after] = [z.object({ top: treeOf(text) }), z.object({ top: treeOf(text.min(1)) })];
  expect(compare(before, before, 'input')).toEqual([]);
  expect(compare(after, before, 'input')).toEqual([]);
  expect(compare(before, after, 'input')).toEqual(['/top/name has a tighter minLength: 1 instead of none']);
});

it('compares a recursive record with one that is not, and with single values', () => {
  const Json = z.object({ any: z.json() });
  const nullable = z.object({ any: z.union([z.json(), z.null()]) });
  for (const side of ['input', 'output'] as const) {
    expect(compare(Json, nullable, side)).toEqual([]);
    expect(compare(nullable, Json, side)).toEqual([]);
  }
  const deep: z.ZodType = z.lazy(() => z.object({ next: z.array(deep.nullable()) }));
  const flat: z.ZodType = z.lazy(() => z.object({ next: z.array(flat) }));
  expect(compare(z.object({ a: deep }), z.object({ a: flat }), 'input')).toEqual(['/a/next/* no longer takes null']);
  expect(compare(z.object({ a: flat }), z.object({ a: deep }), 'input')).toEqual([]);
  expect(compare(z.object({ a: z.literal('x') }), z.object({ a: flat }), 'input')).toEqual(['/a no longer takes "x"']);
});

it('counts a check in code anywhere in a union', () => {
  const checked = (type: z.ZodType): z.ZodType => type.refine(() => true);
  const [before, after] = [checked(z.union([text, z.int()])), checked(z.union([checked(text), z.int()]))];
  expect(compare(before, after, 'input')).toEqual(['/ has a tighter check in code: 2 instead of 1']);
  expect(compare(after, before, 'input')).toEqual([]);
  const twice = checked(checked(z.union([text, z.int()])));
  expect(compare(before, twice, 'input')).toEqual(['/ has a tighter check in code: 2 instead of 1']);
  expect(compare(twice, before, 'input')).toEqual([]);
});
