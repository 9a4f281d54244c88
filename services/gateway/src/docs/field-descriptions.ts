import { CLASSES } from './glossary/classes.ts';
import { COMMON } from './glossary/common.ts';
import { HOURS } from './glossary/hours.ts';
import { TEACHING } from './glossary/teaching-terms.ts';
import { isJson, type Json } from './json-schema.ts';

/**
 * Descriptions of fields with unit and range, by name. A field with another meaning in one record has the key
 * `<record>.<name>`. The description in a contract has precedence.
 */
const GLOSSARY: Readonly<Record<string, string>> = { ...COMMON, ...TEACHING, ...CLASSES, ...HOURS };

/** The description of a field in the record `owner`, or of all fields with this name. `undefined` if there is none. */
export const descriptionOf = (name: string, owner: string): string | undefined =>
  GLOSSARY[`${owner}.${name}`] ?? GLOSSARY[name] ?? nameDescription(name);

/** The description of a name beside an id: `<x>_name` follows from `<x>_id`. */
const nameDescription = (name: string): string | undefined => {
  const [, of] = /^(.+)_name$/.exec(name) ?? [];
  if (of !== undefined) return `Name for \`${of}_id\` or \`${of}\`; \`null\` if unknown`;
  const [, titled] = /^(.+)_title$/.exec(name) ?? [];
  if (titled !== undefined) return `Title of the record in \`${titled}_id\``;
  const [, several] = /^(.+)_names$/.exec(name) ?? [];
  return several === undefined ? undefined : `Names for \`${several}_ids\`, in the same order`;
};

const described = (json: unknown, name: string, owner: string): unknown => {
  if (!isJson(json)) return json;
  const description = json['description'] ?? descriptionOf(name, owner);
  return { ...withDescriptions(json, owner), ...(description === undefined ? {} : { description }) };
};

/** The schema with a description of each member of its objects. */
export const withDescriptions = (schema: Json, owner: string): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isJson(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, described(it, name, owner)]))];
      }
      if (key === 'anyOf' && Array.isArray(value))
        return [key, value.map((it) => (isJson(it) ? withDescriptions(it, owner) : it))];
      return [
        key,
        (key === 'items' || key === 'additionalProperties') && isJson(value) ? withDescriptions(value, owner) : value,
      ];
    }),
  );
