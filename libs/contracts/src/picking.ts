import type { z } from 'zod';

/**
 * Returns a function that picks the fields of a schema from a record. It does not validate, so it is fast enough for
 * events.
 */
export const picking = <W extends z.ZodRawShape>(schema: z.ZodObject<W>) => {
  const names = Object.keys(schema.shape) as (keyof W & string)[];
  return <T extends Readonly<Record<keyof W, unknown>>>(record: T): Pick<T, keyof W & keyof T> => {
    const picked: Partial<Record<keyof W, unknown>> = {};
    for (const name of names) picked[name] = record[name];
    return picked as Pick<T, keyof W & keyof T>;
  };
};
