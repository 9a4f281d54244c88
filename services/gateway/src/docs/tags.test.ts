import { type AnyCall, isObject, operations, partsOf } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LEAD_INS, toMarkdown } from './guides/guide.ts';
import { tagOf, TAGS } from './tags.ts';

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths at which an excerpt of a response does not fit the schema. */
const misfits = (schema: z.ZodType, value: unknown, path: string): string[] => {
  if (isObject(schema)) {
    if (!isJsonObject(value)) return [path];
    return Object.entries(value).flatMap(([key, inner]) => {
      const part: unknown = schema.shape[key];
      return part instanceof z.ZodType ? misfits(part, inner, `${path}/${key}`) : [`${path}/${key}`];
    });
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const [element] = partsOf(schema, 'output');
    return value.flatMap((one, index) => (element === undefined ? [] : misfits(element, one, `${path}/${index}`)));
  }
  const [inner, ...others] = partsOf(schema, 'output');
  const isWrapper = inner !== undefined && others.length === 0 && !(schema instanceof z.ZodRecord);
  if (isWrapper && value !== null) return misfits(inner, value, path);
  return schema.safeParse(value).success ? [] : [path];
};

const errorsOf = (schema: z.ZodType, value: unknown): unknown[] => schema.safeParse(value).error?.issues ?? [];

const tags = TAGS.map((tag) => ({ ...tag, text: toMarkdown(tag.guide) }));

describe('The tags of the API reference', () => {
  it('cover all calls with a route', () => {
    const names = new Set(TAGS.map(({ name }) => name));
    const missing = Object.values(operations).filter((call) => !names.has(tagOf(call)));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it('name only groups that have calls', () => {
    const groups = new Set(Object.values(operations).map(({ id }) => id.split('.').slice(0, 2).join('.')));
    expect(TAGS.flatMap((tag) => tag.groups).filter((group) => !groups.has(group))).toEqual([]);
  });
});

describe.each(tags)('The guide of the tag "$name"', ({ name, guide, text }) => {
  const { example } = guide;
  const call: AnyCall = example.call;

  it('answers the five questions in order, each in a paragraph of its own', () => {
    const found = text.split('\n\n').flatMap((paragraph) => /^\*\*(.+?)\.\*\* ./.exec(paragraph)?.[1] ?? []);
    expect(found).toEqual([...LEAD_INS]);
  });

  it('contains no HTML', () => {
    const prose = text.replaceAll(/```[^]*?```/g, '');
    expect(prose).not.toMatch(/<[a-z/!]/i);
  });

  it('has an example of one of its calls', () => {
    expect(tagOf(call)).toBe(name);
  });

  it('has an example whose request the contract accepts', () => {
    expect(errorsOf(call.path, example.path ?? {})).toEqual([]);
    expect(errorsOf(call.query, example.query ?? {})).toEqual([]);
    expect(errorsOf(call.body, example.body)).toEqual([]);
  });

  it('has an example whose response has the fields of the contract', () => {
    expect(misfits(call.output, example.response, '')).toEqual([]);
  });

  it('names only events that are still published', () => {
    expect(guide.events.filter((event) => event.replaced_by !== null).map(({ type }) => type)).toEqual([]);
  });
});
