import { z } from 'zod';

/** Whether a schema is an object schema. */
export const isObject = (schema: z.core.$ZodType): schema is z.ZodObject => schema instanceof z.ZodObject;

const core = (schemas: readonly z.core.$ZodType[]): readonly z.ZodType[] =>
  schemas.filter((schema) => schema instanceof z.ZodType);

/** The direct parts of a schema, as requests (`input`) or responses (`output`) contain them. */
export const partsOf = (schema: z.ZodType, io: 'input' | 'output'): readonly z.ZodType[] => {
  if (isObject(schema)) return core(Object.values(schema.shape));
  if (schema instanceof z.ZodArray) return core([schema.element]);
  if (schema instanceof z.ZodUnion) return core(schema.options);
  if (schema instanceof z.ZodRecord) return core([schema.valueType]);
  if (schema instanceof z.ZodPreprocess) return core([schema.out]);
  if (schema instanceof z.ZodPipe) return core([io === 'input' ? schema.in : schema.out]);
  if (schema instanceof z.ZodLazy) return core([schema._zod.innerType]);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  ) {
    return core([schema.def.innerType]);
  }
  return [];
};
