export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Node = { readonly [key: string]: Json };

const isNode = (value: Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nodeAt = (value: Node, key: string): Node => {
  const found = value[key];
  return isNode(found) ? found : {};
};
const listAt = (value: Node, key: string): readonly Json[] => {
  const found = value[key];
  return Array.isArray(found) ? found : [];
};

/**
 * What a caller or subscriber of the old schema would trip over in the new one. Requests (`input`) may get
 * new optional fields and wider values; answers and events (`output`) may get new fields, never lose one.
 */
export const breaking = (
  before: Json | undefined,
  after: Json | undefined,
  io: 'input' | 'output',
  at = '',
): string[] => {
  if (!isNode(before)) return [];
  if (!isNode(after)) return [`${at || '/'} is gone`];
  const found: string[] = [];
  if (JSON.stringify(before['type']) !== JSON.stringify(after['type'])) found.push(`${at || '/'} has another type`);
  const old = nodeAt(before, 'properties');
  const now = nodeAt(after, 'properties');
  for (const [name, schema] of Object.entries(old)) found.push(...breaking(schema, now[name], io, `${at}/${name}`));
  const required = { old: listAt(before, 'required'), now: listAt(after, 'required') };
  const tightened = io === 'input' ? required.now.filter((name) => !required.old.includes(name)) : [];
  const loosened = io === 'output' ? required.old.filter((name) => !required.now.includes(name)) : [];
  found.push(...tightened.map((name) => `${at}/${JSON.stringify(name)} is now mandatory`));
  found.push(...loosened.map((name) => `${at}/${JSON.stringify(name)} may now be missing`));
  if ('items' in before) found.push(...breaking(before['items'], after['items'], io, `${at}/*`));
  const values = { old: listAt(before, 'enum'), now: listAt(after, 'enum') };
  const lost = io === 'input' && values.now.length > 0 ? values.old.filter((value) => !values.now.includes(value)) : [];
  found.push(...lost.map((value) => `${at || '/'} no longer takes ${JSON.stringify(value)}`));
  listAt(before, 'anyOf').forEach((option, index) => {
    found.push(...breaking(option, listAt(after, 'anyOf')[index], io, `${at}(${index})`));
  });
  return found;
};
