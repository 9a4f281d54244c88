import { z } from 'zod';

/** The most levels of nesting in JSON that a caller shapes; the outermost object or list is the first. */
export const MAX_JSON_LEVELS = 64;
/** The most members of objects and entries of lists, all levels together. */
export const MAX_JSON_MEMBERS = 10_000;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Says which limit a value exceeds. Works level by level: recursion would overflow on the values that it has to refuse. */
const excessOf = (value: unknown): string | undefined => {
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
 * Limits JSON whose form the caller chooses: its nesting, and how many members it has. Every such field of a request needs
 * it. The limits are checked before `schema` reads the value, since `z.json()` recurses. `description` says what the field is.
 */
export const limitJson = <T extends z.ZodType>(schema: T, description: string) =>
  z
    .preprocess((value: z.input<T>, context) => {
      const message = excessOf(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: value });
      return value;
    }, schema)
    .meta({ description: `${description}. ${LIMITS}` });

/** `JSON.stringify` escapes exactly the code units that Postgres cannot store: U+0000 and lone surrogates. `\\\\` is an escaped backslash. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** A text, or an object of the caller's own form, of at most `max` characters as JSON. */
export const boundedJson = (max: number) =>
  limitJson(
    z.union([z.string(), z.record(z.string(), z.json())]).refine((value) => {
      const json = JSON.stringify(value);
      return json.length <= max && !UNSTORABLE.test(json);
    }, `must be storable and not longer than ${max} characters as JSON`),
    `A text, or an object of the client's own form, of at most ${max} characters as JSON`,
  );
