import { listAt, OPEN_ENUM, OWN_CHECKS, type Schema, schemaAt } from './schema.ts';
import { nestedSchemas } from './nested-schemas.ts';
import type { Side } from './change-texts.ts';

/** A schema that was changed in one place, and the change. */
export interface Break {
  what: string;
  after: Schema;
  /** Equal for the same change of the same record, whatever the names of outer fields. */
  kind: string;
}
type Made = [what: string, after: Schema];

const without = (schema: Schema, key: string): Schema => {
  const { [key]: _gone, ...rest } = schema;
  return rest;
};
const numberAt = (schema: Schema, key: string): number | undefined => {
  const found = schema[key];
  return typeof found === 'number' ? found : undefined;
};
const hasType = ({ type }: Schema, ...wanted: string[]): boolean =>
  [type ?? []].flat().some((one) => typeof one === 'string' && wanted.includes(one));

/** Where there is no limit yet, a huge one is tighter. */
const FAR = 1e15;
const lowered = (schema: Schema, limit: string): Made => [
  `tighter ${limit}`,
  { ...schema, [limit]: (numberAt(schema, limit) ?? FAR) - 1 },
];
const raised = (schema: Schema, limit: string): Made => [
  `tighter ${limit}`,
  { ...schema, [limit]: (numberAt(schema, limit) ?? (limit === 'minimum' ? -FAR : 0)) + 1 },
];
const tighter = (schema: Schema): Made[] => [
  ...(hasType(schema, 'string') ? [raised(schema, 'minLength'), lowered(schema, 'maxLength')] : []),
  ...(hasType(schema, 'array') ? [raised(schema, 'minItems'), lowered(schema, 'maxItems')] : []),
  ...(hasType(schema, 'integer', 'number') ? [raised(schema, 'minimum'), lowered(schema, 'maximum')] : []),
  ...(hasType(schema, 'string') ? [['another pattern', { ...schema, pattern: '^planted$' }] satisfies Made] : []),
  ['a check in code more', { ...schema, [OWN_CHECKS]: (numberAt(schema, OWN_CHECKS) ?? 0) + 1 }],
];

const LIMITS = 'minimum maximum minLength maxLength minItems maxItems pattern format'.split(' ');
const wider = (schema: Schema): Made[] =>
  LIMITS.filter((limit) => limit in schema).map((limit) => [`no ${limit}`, without(schema, limit)]);

/** Removes each value of an enum and each option of a union, one at a time. */
const choices = (schema: Schema): Made[] =>
  ['enum', 'anyOf'].flatMap((key) => {
    const all = listAt(schema, key);
    return all.length < 2
      ? []
      : all.map((gone, index): Made => [
          `${key} without ${JSON.stringify(gone)}`,
          { ...schema, [key]: all.toSpliced(index, 1) },
        ]);
  });

const fields = (schema: Schema, side: Side): Made[] => {
  const [all, needed] = [schemaAt(schema, 'properties'), listAt(schema, 'required')];
  return Object.keys(all).flatMap((name): Made[] => {
    const gone: Made = [`${name} gone`, { ...schema, properties: without(all, name) }];
    const mandatory: Made = [`${name} mandatory`, { ...schema, required: [...needed, name] }];
    const optional: Made = [`${name} optional`, { ...schema, required: needed.filter((one) => one !== name) }];
    if (side === 'input') return needed.includes(name) ? [gone] : [gone, mandatory];
    return needed.includes(name) ? [gone, optional] : [gone];
  });
};

/** Ways to take less than before. */
const narrowed = (schema: Schema): Made[] => [
  ...tighter(schema),
  ...choices(schema),
  ...('default' in schema ? [['another default', { ...schema, default: 'planted' }] satisfies Made] : []),
  ['nothing taken', { not: {} }],
];

const NULL: Schema = { type: 'null' };
/** Ways to answer with more than before. */
const widened = (schema: Schema): Made[] => [
  ...wider(schema),
  ...('enum' in schema && schema[OPEN_ENUM] !== true
    ? [['a new value', { ...schema, enum: [...listAt(schema, 'enum'), 'planted'] }] satisfies Made]
    : []),
  ...('const' in schema ? [['another value', { ...schema, const: 'planted' }] satisfies Made] : []),
  ['anything', {}],
  ...('type' in schema && !hasType(schema, 'null') ? [['null, too', { anyOf: [schema, NULL] }] satisfies Made] : []),
];

/** Other options of a union may already allow what is added to this one. */
const isOption = (at: string): boolean => /\(anyOf \d+\)$/.test(at);

/** Every break that one step can make in a schema: an input that takes less, an output that answers with more. */
export const breaksOf = (whole: Schema, side: Side): Break[] =>
  nestedSchemas(whole)
    .filter(({ schema }) => Object.keys(schema).length > 0)
    .flatMap(({ at, schema, put }) =>
      [...(side === 'input' ? narrowed(schema) : widened(schema)), ...fields(schema, side)]
        .filter(([what]) => what !== 'null, too' || !isOption(at))
        .map(([what, changed]) => ({
          what: `${at}: ${what}`,
          after: put(changed),
          kind: `${at.replaceAll(/\/\w+/g, '/…')} ${what} ${JSON.stringify(schema)}`,
        })),
    );
