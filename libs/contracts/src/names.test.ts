import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allCalls } from './registry.ts';
import { isObject, partsOf } from './schema-parts.ts';

/** Each object of a response, with its path. */
function* objectsOf(
  schema: z.ZodType,
  path: string,
  above: readonly z.ZodType[] = [],
): Generator<[z.ZodObject, string]> {
  if (above.includes(schema)) return;
  const inside = [...above, schema];
  if (!isObject(schema)) {
    for (const part of partsOf(schema, 'output')) yield* objectsOf(part, path, inside);
    return;
  }
  yield [schema, path];
  for (const [name, part] of Object.entries(schema.shape)) {
    if (part instanceof z.ZodType) yield* objectsOf(part, `${path}.${name}`, inside);
  }
}

const PERSON = /(^|_)(student|teacher|assistant|actor|owner|user)_ids?$|_by$/;
const CLAZZ = /^clazz_ids?$/;
const nameOf = (id: string): string =>
  id.endsWith('_by') ? `${id}_name` : id.replace(/_id(s?)$/, (_, many: string) => `_name${many}`);

/** The sets of members of which one is required beside a property. */
const requiredMembers = (name: string): string[][] => {
  if (name === 'user_id') return [['display_name']];
  if (PERSON.test(name) || CLAZZ.test(name)) return [[nameOf(name)]];
  const times = ['starts_at', 'ends_at'];
  if (name === 'lesson_id') return [times, times.map((time) => `lesson_${time}`)];
  return [];
};
const isEnum = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodEnum || (schema instanceof z.ZodNullable && isEnum(schema.def.innerType));

/** Paths of ids without a name, and the reason. */
const WITHOUT_NAMES = [
  // The hash covers the snapshot as it was published.
  /\.(published_)?snapshot\./,
  // The name of the caller is in `member`. The name of an erased person no longer exists.
  /^clazz\.me\.get\.user_id$/,
  /^clazz\.member\.erase\.user_id$/,
  // The package service follows no log, so it has no names. The course service has names of people, not of classes.
  /^package\..*\.(teacher_id|published_by)$/,
  /^course\.lianxi\..*\.clazz_id$/,
];

const bare = allCalls
  .filter(({ http }) => http !== null)
  .flatMap(({ id, output }) =>
    [...objectsOf(output, id)].flatMap(([{ shape }, path]) =>
      Object.entries(shape)
        .filter(([, schema]) => !isEnum(schema))
        .filter(
          ([name]) =>
            requiredMembers(name).length > 0 && !requiredMembers(name).some((set) => set.every((it) => it in shape)),
        )
        .map(([name]) => `${path}.${name}`),
    ),
  );

describe('In every response', () => {
  it('the ids of people and classes have names beside them, and the ids of lessons have times', () => {
    expect(bare.filter((path) => !WITHOUT_NAMES.some((known) => known.test(path)))).toEqual([]);
  });

  it('each listed exception is still an id without a name', () => {
    expect(WITHOUT_NAMES.filter((known) => !bare.some((path) => known.test(path)))).toEqual([]);
  });
});
