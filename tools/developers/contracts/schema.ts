export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Schema = { readonly [key: string]: Json };

export const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
export const schemaAt = (value: Schema, key: string): Schema => {
  const found = value[key];
  return isSchema(found) ? found : {};
};
export const listAt = (value: Schema, key: string): readonly Json[] => {
  const found = value[key];
  return isList(found) ? found : [];
};

/**
 * Marks an enum of an answer whose values may grow: its readers accept unknown values. An enum must be recorded with this mark before
 * it may grow.
 */
export const OPEN_ENUM = 'x-open-enum';

/** The number of checks in code (`refine`) of a field. Nothing else about them is visible from outside. */
export const OWN_CHECKS = 'x-checks';

/** Combines two schemas of one value. The checks in code of both apply. */
const both = (outer: Schema, inner: Schema): Schema => {
  const [a, b] = [outer[OWN_CHECKS], inner[OWN_CHECKS]];
  return { ...outer, ...inner, ...(typeof a === 'number' && typeof b === 'number' ? { [OWN_CHECKS]: a + b } : {}) };
};

/** Keywords that do not restrict values. */
const ANNOTATIONS = new Set(
  `$comment $defs $id $schema deprecated description examples id readOnly title writeOnly ${OPEN_ENUM}`.split(' '),
);
export const keywordsOf = (schema: Schema): string[] => Object.keys(schema).filter((key) => !ANNOTATIONS.has(key));

/** The schema a `$ref` stands for; zod refers to the root (`#`) and to the root's `$defs` only. */
export const resolve = (schema: Schema, root: Schema): Schema => {
  const { $ref: ref, ...rest } = schema;
  if (typeof ref !== 'string') return schema;
  const found = ref === '#' ? root : schemaAt(root, '$defs')[ref.replace('#/$defs/', '')];
  if (!isSchema(found)) throw new Error(`the schema names ${ref}, which is not there`);
  return resolve(both(found, rest), root);
};

/** All of these hold at once: several patterns or divisors of one field, and intersections. */
export const partsOf = (schema: Schema): Schema[] => {
  const { allOf, ...base } = schema;
  return isList(allOf) ? [base, ...allOf.filter(isSchema).map((part) => both(base, part))] : [schema];
};

const typesOf = ({ enum: values, type, ...rest }: Schema): Schema[] => {
  if (isList(values)) return values.map((value) => ({ ...rest, const: value }));
  if ('const' in rest) return [rest];
  if (isList(type)) return type.map((one) => ({ ...rest, type: one }));
  return [type === undefined ? rest : { ...rest, type }];
};

/** One of these holds: a union's options, each value of an enum, each of several types. None if nothing is taken. */
export const optionsOf = (schema: Schema, root: Schema): Schema[] => {
  const { anyOf, oneOf, not, ...base } = resolve(schema, root);
  if (isSchema(not) && keywordsOf(not).length === 0) return [];
  const open = not === undefined ? base : { ...base, not };
  const union = isList(anyOf) ? anyOf : oneOf;
  if (!isList(union)) return typesOf(open);
  return union.filter(isSchema).flatMap((option) => optionsOf(both(open, option), root));
};
