import { z } from 'zod';
import { prose } from './scalars.ts';

/** Whole numbers that travel as text, in a path or a query: what they may be. */
export const WHOLE_NUMBERS = z.registry<{ minimum: number; maximum: number }>();

/** A whole number in a query string. */
export const queryInt = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .register(WHOLE_NUMBERS, { minimum: min, maximum: max });

/** `true` or `false` in a query string. */
export const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Filters that take several values: what each of them may be. */
export const SEVERAL = z.registry<{ item: object }>();
/** More are no filter any more. */
const MAX_VALUES = 100;

/** A filter by value: one, or several by commas, of which each is looked for (`status=draft,active`). */
export const several = <T extends z.ZodType>(item: T) =>
  z
    .string()
    .transform((value, context): z.output<T>[] => {
      const found = z
        .array(item)
        .max(MAX_VALUES)
        .safeParse([...new Set(value.split(','))]);
      if (found.success) return found.data;
      context.addIssue({ code: 'custom', message: found.error.issues[0]?.message ?? 'is not valid', input: value });
      return z.NEVER;
    })
    .register(SEVERAL, { item });

/** `limit` and `cursor`, the same on every list. */
export const pageQuery = {
  limit: queryInt(1, 100).default(20).meta({ description: 'Rows per page, 1–100' }),
  cursor: z.string().min(1).max(2000).optional().meta({ description: 'Opaque, from `next_cursor`' }),
};

/** On every call that also answers CSV (`also: 'text/csv'`). */
export const csvQuery = {
  bom: queryFlag.optional().meta({
    description:
      'With `Accept: text/csv`: begin with a byte-order mark, by which Excel knows UTF-8. Refused where the answer is JSON',
  }),
};

/** Case-insensitive part of a text; `%` and `_` are only characters. */
export const keywordQuery = {
  keyword: prose(200).optional().meta({
    description: 'Part of the text, in any case; bounded by the length of the list, which is searched through',
  }),
};

/** `sort` by one of the fields, `-` in front for descending. */
export const sortQuery = <const F extends string>(fields: readonly F[], standard: F | `-${F}`) => ({
  sort: z
    .enum([...fields, ...fields.map((field): `-${F}` => `-${field}`)])
    .optional()
    .transform((value): F | `-${F}` => value ?? standard)
    .meta({
      description: `One of ${fields.join(', ')}; - in front for descending. Each costs a page; with a filter it is bounded by the list`,
    }),
});

/** A list's answer. */
export const page = <T extends z.ZodType>(row: T) =>
  z.object({ items: z.array(row), next_cursor: z.string().nullable() });
