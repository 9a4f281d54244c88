import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allCalls } from './registry.ts';
import { isObject, partsOf } from './schema-parts.ts';

/** Every object of an answer, with the way to it. */
function* objectsOf(
  schema: z.ZodType,
  way: string,
  above: readonly z.ZodType[] = [],
): Generator<[z.ZodObject, string]> {
  if (above.includes(schema)) return;
  const inside = [...above, schema];
  if (!isObject(schema)) {
    for (const part of partsOf(schema, 'output')) yield* objectsOf(part, way, inside);
    return;
  }
  yield [schema, way];
  for (const [name, part] of Object.entries(schema.shape)) {
    if (part instanceof z.ZodType) yield* objectsOf(part, `${way}.${name}`, inside);
  }
}

const PERSON = /(^|_)(student|teacher|assistant|actor|owner|user)_ids?$|_by$/;
const CLAZZ = /^clazz_ids?$/;
const nameOf = (id: string): string =>
  id.endsWith('_by') ? `${id}_name` : id.replace(/_id(s?)$/, (_, many: string) => `_name${many}`);

/** What has to stand beside a property, in one way or another. */
const wanted = (name: string): string[][] => {
  if (name === 'user_id') return [['display_name']];
  if (PERSON.test(name) || CLAZZ.test(name)) return [[nameOf(name)]];
  const times = ['starts_at', 'ends_at'];
  if (name === 'lesson_id') return [times, times.map((time) => `lesson_${time}`)];
  return [];
};
const isEnum = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodEnum || (schema instanceof z.ZodNullable && isEnum(schema.def.innerType));

/** Where ids stand alone, and why. */
const ALONE = [
  // What was published is hashed as it was then.
  /\.(published_)?snapshot\./,
  // The caller, whose record with the name stands beside; and somebody whose name was just erased.
  /^clazz\.me\.get\.user_id$/,
  /^clazz\.member\.erase\.user_id$/,
  // The package service follows nobody, so it knows no names; the course service knows people, not classes.
  /^package\..*\.(teacher_id|published_by)$/,
  /^course\.lianxi\..*\.clazz_id$/,
];

const bare = allCalls
  .filter(({ http }) => http !== null)
  .flatMap(({ id, output }) =>
    [...objectsOf(output, id)].flatMap(([{ shape }, way]) =>
      Object.entries(shape)
        .filter(([, schema]) => !isEnum(schema))
        .filter(([name]) => wanted(name).length > 0 && !wanted(name).some((set) => set.every((it) => it in shape)))
        .map(([name]) => `${way}.${name}`),
    ),
  );

describe('in every answer', () => {
  it('names stand beside ids of people and classes, times beside those of lessons', () => {
    expect(bare.filter((place) => !ALONE.some((known) => known.test(place)))).toEqual([]);
  });

  it('no place that may do without has them', () => {
    expect(ALONE.filter((known) => !bare.some((place) => known.test(place)))).toEqual([]);
  });
});
