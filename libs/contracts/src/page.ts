import { z } from 'zod';
import { prose } from './scalars.ts';

/** The limits of whole numbers that a path or query contains as text. */
export const WHOLE_NUMBERS = z.registry<{ minimum: number; maximum: number }>();

/** A whole number in a path or query string, from `min` to `max`. */
export const queryInt = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .register(WHOLE_NUMBERS, { minimum: min, maximum: max });

/** `true` or `false` in a query string. */
export const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** The schema of one value of each filter that accepts several values. */
export const COMMA_SEPARATED = z.registry<{ item: object }>();
/** Maximum number of values of one filter. */
const MAX_VALUES = 100;

/**
 * A filter by one value, or by several values separated by commas (`status=draft,active`). A row matches any of them.
 */
export const commaSeparated = <T extends z.ZodType>(item: T) =>
  z
    .string()
    .transform((value) => [...new Set(value.split(','))])
    // An item may accept only some texts, such as those of an enum; it is given any.
    .pipe(z.array(item as z.ZodType<z.output<T>, string>).max(MAX_VALUES))
    .register(COMMA_SEPARATED, { item });

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: queryInt(1, 100).default(20).meta({ description: 'Rows per page, 1 to 100. Default 20' }),
  cursor: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page. Default: the first page' }),
};

/** Query member of every call that also responds with CSV. */
export const csvQuery = {
  bom: queryFlag.optional().meta({
    description:
      'With `Accept: text/csv`: start with a byte-order mark, so that Excel reads UTF-8. Default false. 400 with JSON',
  }),
};

/** Search for a part of a text, without regard to case. `%` and `_` have no special meaning. */
export const keywordQuery = {
  keyword: prose(200).optional().meta({
    description: 'Part of the text to find, up to 200 characters; case does not matter. Searches the whole list',
  }),
};

/** `sort` by one of the fields; a leading `-` sorts in descending order. `standard` is the default. */
export const sortQuery = <const F extends string>(fields: readonly F[], standard: F | `-${F}`) => ({
  sort: z
    .enum([...fields, ...fields.map((field): `-${F}` => `-${field}`)])
    .optional()
    .transform((value): F | `-${F}` => value ?? standard)
    .meta({
      description: `Sort key: one of ${fields.join(', ')}. A leading \`-\` sorts in descending order. Default \`${standard}\``,
    }),
});

/** The response of a list. */
export const page = <T extends z.ZodType>(row: T) =>
  z.object({ items: z.array(row), next_cursor: z.string().nullable() });
