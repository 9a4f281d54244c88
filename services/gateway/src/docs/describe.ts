import { CLASSES } from './glossary/classes.ts';
import { COMMON } from './glossary/common.ts';
import { HOURS } from './glossary/hours.ts';
import { TEACHING } from './glossary/teaching.ts';
import { isJson, type Json } from './json-schema.ts';

/**
 * What the fields mean, with unit and range, by name: one name means one thing, and where it does not, by
 * `<record>.<name>`. What a contract says of a field itself comes before.
 */
const GLOSSARY: Readonly<Record<string, string>> = { ...COMMON, ...TEACHING, ...CLASSES, ...HOURS };

/** What a field of this name means: in this record, or wherever it stands. A contract's own words come first. */
export const meaningOf = (name: string, owner: string): string | undefined =>
  GLOSSARY[`${owner}.${name}`] ?? GLOSSARY[name] ?? ruleFor(name);

/** Names travel beside ids: what `<x>_name` says follows from `<x>_id`. */
const ruleFor = (name: string): string | undefined => {
  const [, of] = /^(.+)_name$/.exec(name) ?? [];
  if (of !== undefined) return `How the one in \`${of}_id\` or \`${of}\` is called; \`null\` if nobody knows`;
  const [, titled] = /^(.+)_title$/.exec(name) ?? [];
  if (titled !== undefined) return `Title of the one in \`${titled}_id\``;
  const [, several] = /^(.+)_names$/.exec(name) ?? [];
  return several === undefined ? undefined : `How those in \`${several}_ids\` are called, in the same order`;
};

const described = (json: unknown, name: string, owner: string): unknown => {
  if (!isJson(json)) return json;
  const description = json['description'] ?? meaningOf(name, owner);
  return { ...describeAll(json, owner), ...(description === undefined ? {} : { description }) };
};

/** The schema with a description of every member of its objects. */
export const describeAll = (schema: Json, owner: string): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isJson(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, described(it, name, owner)]))];
      }
      if (key === 'anyOf' && Array.isArray(value))
        return [key, value.map((it) => (isJson(it) ? describeAll(it, owner) : it))];
      return [
        key,
        (key === 'items' || key === 'additionalProperties') && isJson(value) ? describeAll(value, owner) : value,
      ];
    }),
  );
