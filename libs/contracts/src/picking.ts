import type { z } from 'zod';

/** Of a record, what a schema declares: its form on the wire, without checking it, for what is told often. */
export const picking = <W extends z.ZodRawShape>(schema: z.ZodObject<W>) => {
  const names = Object.keys(schema.shape) as (keyof W & string)[];
  return <T extends Readonly<Record<keyof W, unknown>>>(record: T): Pick<T, keyof W & keyof T> => {
    const picked: Partial<Record<keyof W, unknown>> = {};
    for (const name of names) picked[name] = record[name];
    return picked as Pick<T, keyof W & keyof T>;
  };
};
