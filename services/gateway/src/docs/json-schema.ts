export type Json = Record<string, unknown>;

/** Whether a value is a JSON object. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `clazz_full` → `ClazzFull` */
export const pascal = (text: string): string =>
  text.replaceAll(/(^|[_.-])([a-z0-9])/g, (_all, _before, letter: string) => letter.toUpperCase());

const ID = '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10';

/** Example values by field name, for schemas without a format or pattern. */
const BY_NAME: Readonly<Record<string, string>> = {
  title: 'Algebra, 20 lessons',
  name: 'Algebra I',
  description: 'For beginners',
  zone: 'Europe/Berlin',
  currency: 'EUR',
  start_time: '09:00',
  rrule: 'FREQ=WEEKLY;BYDAY=MO,WE',
  room: 'A 12',
  reason: 'Ill',
  display_name: 'Ada Lovelace',
};

const matches = (pattern: unknown, text: string): boolean =>
  typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);

const textExample = (schema: Json, name: string): string => {
  const { format, pattern } = schema;
  if (format === 'date-time') return '2026-09-07T07:00:00.000Z';
  if (format === 'date') return '2026-09-07';
  const all = [BY_NAME[name], ID, '1.50', 'ada', name, '1'];
  const known = typeof pattern === 'string' || format === 'uuid' ? all : [BY_NAME[name], name];
  return known.find((text) => text !== undefined && matches(pattern, text)) ?? name;
};

/** An example value of a schema. It may be invalid; the caller must check it. */
export const exampleOf = (schema: unknown, name = ''): unknown => {
  if (!isJson(schema)) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(schema['anyOf'])) return exampleOf(schema['anyOf'][0], name);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'object') {
    const properties = isJson(schema['properties']) ? schema['properties'] : {};
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, exampleOf(value, key)]));
  }
  if (type === 'array') return [exampleOf(schema['items'], name.replace(/s$/, ''))];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') {
    const { minimum } = schema;
    return typeof minimum === 'number' && minimum > 1 ? minimum : 1;
  }
  return type === 'string' ? textExample(schema, name) : null;
};
