import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dakaCalls } from './course/jihua.calls.ts';
import { Answers } from './course/lianxi.schema.ts';
import { piyueCalls } from './course/piyue.calls.ts';
import { allCalls } from './registry.ts';
import { partsOf } from './schema-parts.ts';

const ID = '01900000-0000-7000-8000-000000000001';

/** An object with this number of levels. */
const objects = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
/** A list with this number of levels. */
const lists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const problemsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? [];
const checkIn = (content: unknown) => problemsOf(dakaCalls.putDaka.body, { jihua_id: ID, content });

const TOO_DEEP = '/content must have at most 64 levels';

describe('The content of a check-in', () => {
  it.each([2, 63, 64])('is accepted with %d levels', (levels) => {
    expect(checkIn(objects(levels))).toEqual([]);
    expect(checkIn({ list: lists(levels - 1) })).toEqual([]);
  });

  it.each([65, 1_500, 2_500, 100_000])('is refused with %d levels', (levels) => {
    expect(checkIn(objects(levels))).toEqual([TOO_DEEP]);
    expect(checkIn({ first: 1, list: lists(levels - 1) })).toEqual([TOO_DEEP]);
  });

  it('is refused if it is too long, including its keys', () => {
    expect(checkIn({ ['k'.repeat(19_900)]: 1 })).toEqual([]);
    expect(checkIn({ ['k'.repeat(20_000)]: 1 })).toEqual([expect.stringMatching(/^\/content .*20000 characters/)]);
    expect(checkIn('x'.repeat(20_000))).toHaveLength(1);
    // Measured in NFC, which is shorter or longer than what was sent.
    expect(checkIn('e\u0301'.repeat(15_000))).toEqual([]);
    expect(checkIn('\u0958'.repeat(15_000))).toHaveLength(1);
  });

  it.each([['\0'], ['a\ud800'], ['\udc00b'], [{ text: '\\\0' }], [{ ['k\ud800']: 1 }]])(
    'is refused if it contains a character that Postgres cannot store: %j',
    (content) => {
      expect(checkIn(content)).toHaveLength(1);
    },
  );

  it.each([['\\u0000'], ['\\ud800'], ['\u{1f600}'], [{ text: '\n\\\\' }]])('is accepted with %j', (content) => {
    expect(checkIn(content)).toEqual([]);
  });

  it('is stored in NFC, and refused with two names that differ in their form of Unicode only', () => {
    const sent = { 'e\u0301': ['e\u0301', { text: 'e\u0301' }] };
    const stored = dakaCalls.putDaka.body.parse({ jihua_id: ID, content: sent });
    expect(stored).toEqual({ jihua_id: ID, content: { é: ['é', { text: 'é' }] } });
    expect(checkIn({ more: { 'e\u0301': 1, é: 2 } })).toEqual([expect.stringMatching(/no name twice in an object$/)]);
  });

  it('is stored as it was sent', () => {
    const content = { text: 'read 3 pages', pages: [1, 2, 3], more: { by: null, done: true } };
    expect(dakaCalls.putDaka.body.parse({ jihua_id: ID, content })).toEqual({ jihua_id: ID, content });
    expect(dakaCalls.putDaka.body.parse({ jihua_id: ID, content: null })).toEqual({ jihua_id: ID, content: null });
    expect(checkIn(3)).toHaveLength(1);
    expect(checkIn([1])).toHaveLength(1);
  });
});

describe('The limit of 10,000 members and list entries', () => {
  const TOO_WIDE = 'must have at most 10000 members and list entries';
  const many = (count: number): Record<string, true> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, true]));

  it('applies to all answers of a submission together', () => {
    // Without the limit of their bytes.
    const body = z.strictObject({ answers: Answers });
    expect(problemsOf(body, { answers: many(10_000) })).toEqual([]);
    expect(problemsOf(body, { answers: many(10_001) })).toEqual([`/answers ${TOO_WIDE}`]);
    const lists = { ...many(9_000), list: Array.from({ length: 50 }, () => 'x') };
    expect(problemsOf(body, { answers: lists })).toEqual([]);
    const more = { ...many(9_950), list: Array.from({ length: 50 }, () => 'x') };
    expect(problemsOf(body, { answers: more })).toEqual([`/answers ${TOO_WIDE}`]);
    expect(problemsOf(body, {})).toHaveLength(1);
  });

  it('applies to the points of a mark', () => {
    const points = (count: number) => Object.fromEntries(Object.keys(many(count)).map((id) => [id, 1]));
    expect(problemsOf(piyueCalls.markSubmission.body, { score: 1, points: points(10_000) })).toEqual([]);
    expect(problemsOf(piyueCalls.markSubmission.body, { score: 1, points: points(10_001) })).toEqual([
      `/points ${TOO_WIDE}`,
    ]);
  });

  it('applies to a check-in before its length is checked', () => {
    const wide = { list: Array.from({ length: 10_000 }, () => 1) };
    expect(checkIn(wide)).toEqual([`/content ${TOO_WIDE}`]);
  });
});

describe('A body', () => {
  /** Paths at which the client chooses the names of members, or sends any JSON. */
  const unboundedIn = (schema: z.ZodType, path: string): string[] => {
    if (schema instanceof z.ZodPreprocess) return [];
    const isFree = [z.ZodRecord, z.ZodLazy, z.ZodUnknown, z.ZodAny, z.ZodMap].some((kind) => schema instanceof kind);
    if (isFree) return [path];
    if (schema instanceof z.ZodObject) {
      const members: [string, z.ZodType][] = Object.entries(schema.shape);
      return members.flatMap(([name, it]) => unboundedIn(it, `${path}/${name}`));
    }
    return partsOf(schema, 'input').flatMap((part) => unboundedIn(part, path));
  };

  it('accepts free JSON only with limited depth and number of members', () => {
    expect(allCalls.flatMap(({ id, body }) => unboundedIn(body, id))).toEqual([]);
  });
});
