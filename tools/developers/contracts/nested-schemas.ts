import { isSchema, type Json, listAt, type Schema, schemaAt } from './schema.ts';

/** A schema inside another, and a function that replaces it in the whole. */
export interface NestedSchema {
  at: string;
  schema: Schema;
  put: (changed: Schema) => Schema;
}

const NAMED = ['properties', '$defs', 'patternProperties'];
const SINGLE = ['items', 'additionalProperties'];
const LISTED = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

type Inner = [step: string, inner: Json, put: (changed: Schema) => Schema];

const innerOf = (schema: Schema): Inner[] => [
  ...NAMED.flatMap((key) =>
    Object.entries(schemaAt(schema, key)).map(([name, inner]): Inner => [
      `/${name}`,
      inner,
      (changed) => ({ ...schema, [key]: { ...schemaAt(schema, key), [name]: changed } }),
    ]),
  ),
  ...SINGLE.map((key): Inner => [`/(${key})`, schema[key] ?? null, (changed) => ({ ...schema, [key]: changed })]),
  ...LISTED.flatMap((key) =>
    listAt(schema, key).map((inner, index): Inner => [
      `/(${key} ${index})`,
      inner,
      (changed) => ({ ...schema, [key]: listAt(schema, key).with(index, changed) }),
    ]),
  ),
];

/** A schema and all schemas inside it. */
export const nestedSchemas = (schema: Schema): NestedSchema[] => [
  // References point into the definitions of the whole, which stay unchanged.
  { at: '', schema, put: (changed) => ('$defs' in schema ? { $defs: schema['$defs'] ?? {}, ...changed } : changed) },
  ...innerOf(schema).flatMap(([step, inner, put]) =>
    isSchema(inner)
      ? nestedSchemas(inner).map((place) => ({
          at: `${step}${place.at}`,
          schema: place.schema,
          put: (changed: Schema) => put(place.put(changed)),
        }))
      : [],
  ),
];
