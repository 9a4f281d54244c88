import { z } from 'zod';
import { isCleanText } from './scalars.ts';

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

/** Whether all texts and names are clean, and no object has two names that differ in their form of Unicode only. */
const isCleanJson = (value: z.core.util.JSONType): boolean => {
  if (typeof value === 'string') return isCleanText(value);
  if (!isContainer(value)) return true;
  const names = Object.keys(value).map((name) => name.normalize());
  return new Set(names).size === names.length && names.every(isCleanText) && Object.values(value).every(isCleanJson);
};

type Json = z.core.util.JSONType;

/** Converts all texts and names of an object to NFC. */
const normalizeMembers = (value: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name.normalize(), normalizeJson(one)]));
const normalizeJson = (value: Json): Json => {
  if (typeof value === 'string') return value.normalize();
  if (Array.isArray(value)) return value.map(normalizeJson);
  return isContainer(value) ? normalizeMembers(value) : value;
};
const normalizeContent = (value: string | Record<string, Json>): string | Record<string, Json> =>
  typeof value === 'string' ? value.normalize() : normalizeMembers(value);

/**
 * A text, or an object whose form the client chooses, of at most `max` characters as JSON. It is measured and stored in
 * NFC.
 */
export const boundedJson = (max: number) =>
  limitJson(
    z
      .union([z.string(), z.record(z.string(), z.json())])
      .refine((value) => JSON.stringify(normalizeContent(value)).length <= max && isCleanJson(value), {
        error: `must have at most ${max} characters as JSON, no control characters (other than tab and line break), no lone surrogates, and no name twice in an object`,
      })
      .overwrite(normalizeContent),
    `A text, or an object whose form the client chooses. At most ${max} characters as JSON`,
  );
