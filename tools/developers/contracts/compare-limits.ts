import { keywordsOf, OWN_CHECKS, type Schema } from './schema.ts';
import { limitText, type SchemaPair } from './change-texts.ts';

/** Lower bounds have sign 1, upper bounds -1. An exclusive bound and its inclusive twin are comparable. */
const BOUNDS: Readonly<Record<string, { sign: 1 | -1; twin?: string; beyond?: boolean }>> = {
  minimum: { sign: 1, twin: 'exclusiveMinimum' },
  exclusiveMinimum: { sign: 1, twin: 'minimum', beyond: true },
  maximum: { sign: -1, twin: 'exclusiveMaximum' },
  exclusiveMaximum: { sign: -1, twin: 'maximum', beyond: true },
  minLength: { sign: 1 },
  maxLength: { sign: -1 },
  minItems: { sign: 1 },
  maxItems: { sign: -1 },
  minProperties: { sign: 1 },
  maxProperties: { sign: -1 },
};

/** Keywords that are compared elsewhere. */
const STRUCTURE = new Set(
  'type const enum anyOf oneOf allOf properties required additionalProperties propertyNames patternProperties items prefixItems default _prefault'.split(
    ' ',
  ),
);

/** No comparison holds for a value that is no number. */
const numberAt = (schema: Schema, key: string | undefined): number => {
  const found = key === undefined ? undefined : schema[key];
  return typeof found === 'number' ? found : Number.NaN;
};

const keepsBound = (keyword: string, { from, to }: SchemaPair): boolean => {
  const { sign = 1, twin, beyond = false } = BOUNDS[keyword] ?? {};
  const limit = sign * numberAt(to, keyword);
  const other = sign * numberAt(from, twin);
  return sign * numberAt(from, keyword) >= limit || (beyond ? other > limit : other >= limit);
};

const keepsDivisor = ({ from, to }: SchemaPair): boolean => {
  const own = 'multipleOf' in from ? numberAt(from, 'multipleOf') : from['type'] === 'integer' ? 1 : Number.NaN;
  const ratio = own / numberAt(to, 'multipleOf');
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
};

/** Patterns, formats and unknown keywords are compared as text: a difference is a break. */
const keeps = (keyword: string, pair: SchemaPair): boolean => {
  if (keyword in BOUNDS) return keepsBound(keyword, pair);
  if (keyword === 'multipleOf') return keepsDivisor(pair);
  if (keyword === OWN_CHECKS) return numberAt(pair.from, keyword) >= numberAt(pair.to, keyword);
  return JSON.stringify(pair.from[keyword]) === JSON.stringify(pair.to[keyword]);
};

/** Limits of `to` that values of `from` may violate. */
export const limitsOf = (pair: SchemaPair): string[] =>
  keywordsOf(pair.to)
    .filter((keyword) => !STRUCTURE.has(keyword) && !keeps(keyword, pair))
    .map((keyword) => limitText(pair, keyword));
