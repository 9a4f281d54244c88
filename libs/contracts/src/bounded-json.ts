import { z } from 'zod';

/** Maximum nesting depth of JSON whose form the client chooses. The outermost object or list is level 1. */
export const MAX_JSON_LEVELS = 64;
/** Maximum number of object members and list entries, over all levels. */
export const MAX_JSON_MEMBERS = 10_000;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The message for the limit that a value exceeds. Iterates level by level: recursion would overflow on deep values. */
const exceededLimit = (value: unknown): string | undefined => {
  let members = 0;
  let level = [value].filter(isContainer);
  for (let levels = 1; level.length > 0; levels += 1) {
    if (levels > MAX_JSON_LEVELS) return `must have at most ${MAX_JSON_LEVELS} levels`;
    const inner: object[] = [];
    for (const container of level) {
      const values: unknown[] = Object.values(container);
      members += values.length;
      if (members > MAX_JSON_MEMBERS) return `must have at most ${MAX_JSON_MEMBERS} members and list entries`;
      for (const one of values) if (isContainer(one)) inner.push(one);
    }
    level = inner;
  }
  return undefined;
};

const LIMITS = `At most ${MAX_JSON_LEVELS} levels, and ${MAX_JSON_MEMBERS.toLocaleString('en')} members and list entries in total`;

/**
 * Limits the depth and the number of members of JSON whose form the client chooses. Every such request field needs it.
 * The limits are checked before `schema` parses the value, because `z.json()` recurses. `description` describes the
 * field.
 */
export const limitJson = <T extends z.ZodType>(schema: T, description: string) =>
  z
    .preprocess((value: z.input<T>, context) => {
      const message = exceededLimit(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: value });
      return value;
    }, schema)
    .meta({ description: `${description}. ${LIMITS}` });

/**
 * `JSON.stringify` escapes exactly the code units that Postgres cannot store: U+0000 and lone surrogates. `\\\\` is an
 * escaped backslash.
 */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** A text, or an object whose form the client chooses, of at most `max` characters as JSON. */
export const boundedJson = (max: number) =>
  limitJson(
    z.union([z.string(), z.record(z.string(), z.json())]).refine((value) => {
      const json = JSON.stringify(value);
      return json.length <= max && !UNSTORABLE.test(json);
    }, `must have at most ${max} characters as JSON, without U+0000 and lone surrogates`),
    `A text, or an object whose form the client chooses. At most ${max} characters as JSON`,
  );
