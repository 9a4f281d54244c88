import { isSchema, type Json, listAt, type Schema, schemaAt } from './schema.ts';
import { asBefore, type SchemaPair, changeText, type Side } from './change-texts.ts';

export type CompareSchemas = (pair: SchemaPair) => string[];

const inside = (pair: SchemaPair, from: Schema, to: Schema, step: string): SchemaPair => ({
  ...pair,
  from,
  to,
  at: `${pair.at}/${step}`,
});
/** Like `inside`, in the order before and after. */
const turned = (pair: SchemaPair, before: Schema, after: Schema, step: string): SchemaPair =>
  pair.side === 'input' ? inside(pair, before, after, step) : inside(pair, after, before, step);

/** The rule of an object for unnamed fields: zod drops them by default. */
const others = (value: Json | undefined): Schema | undefined => (isSchema(value) ? value : undefined);

const field = (pair: SchemaPair, name: string, before: Schema, after: Schema, fit: CompareSchemas): string[] => {
  const [old, now] = [schemaAt(before, 'properties')[name], schemaAt(after, 'properties')[name]];
  if (isSchema(old) && now === undefined) return [changeText(`${pair.at}/${name}`, 'is gone')];
  const open = others(before['additionalProperties']);
  if (old === undefined && open !== undefined && isSchema(now)) return fit(turned(pair, open, now, name));
  return isSchema(old) && isSchema(now) ? fit(turned(pair, old, now, name)) : [];
};

const required = (schema: Schema): string[] => listAt(schema, 'required').filter((it) => typeof it === 'string');

/** Requests and history lack a field that became mandatory; readers rely on a field that was always there. */
const mandatory = (side: Side, before: Schema, after: Schema, at: string): string[] => {
  const lacks = (names: string[], others: string[]): string[] => names.filter((name) => !others.includes(name));
  const [old, now] = [required(before), required(after)];
  if (side === 'input') return lacks(now, old).map((name) => changeText(`${at}/${name}`, 'is now mandatory'));
  const gone = lacks(Object.keys(schemaAt(before, 'properties')), Object.keys(schemaAt(after, 'properties')));
  return lacks(lacks(old, now), gone).map((name) => changeText(`${at}/${name}`, 'may now be missing'));
};

const unnamed = (pair: SchemaPair, before: Schema, after: Schema, fit: CompareSchemas): string[] => {
  const [old, now] = [before['additionalProperties'], after['additionalProperties']];
  const [kept, keeps] = [others(old), others(now)];
  if (pair.side === 'input' && now === false && old !== false)
    return [changeText(pair.at, 'takes no further fields any more')];
  if (kept !== undefined && keeps === undefined) return [changeText(pair.at, 'no longer has fields of any name')];
  if (kept === undefined && (pair.side === 'output' || old === false)) return [];
  return fit(turned(pair, kept ?? {}, keeps ?? {}, '{name}'));
};

const patterns = (pair: SchemaPair, before: Schema, after: Schema, fit: CompareSchemas): string[] => {
  const [old, now] = [schemaAt(before, 'patternProperties'), schemaAt(after, 'patternProperties')];
  const names = Object.keys({ ...old, ...now });
  return names.flatMap((name) => fit(turned(pair, schemaAt(old, name), schemaAt(now, name), `{${name}}`)));
};

/** Names are text, even if a schema does not say so. */
const names = (schema: Schema): Schema => ({ type: 'string', ...schemaAt(schema, 'propertyNames') });

export const compareObjects = (pair: SchemaPair, fit: CompareSchemas): string[] => {
  const { before, after } = asBefore(pair.side, pair.from, pair.to);
  const fields = Object.keys({ ...schemaAt(before, 'properties'), ...schemaAt(after, 'properties') });
  return [
    ...fields.flatMap((name) => field(pair, name, before, after, fit)),
    ...mandatory(pair.side, before, after, pair.at),
    ...unnamed(pair, before, after, fit),
    ...patterns(pair, before, after, fit),
    ...fit(inside(pair, names(pair.from), names(pair.to), '(name)')),
  ];
};

/** The schema at an index of a list: its own in a tuple, else that of further items. `false`: none. */
const place = (schema: Schema, index: number): Schema => {
  const found = listAt(schema, 'prefixItems')[index] ?? schema['items'];
  return isSchema(found) ? found : found === false ? { not: {} } : {};
};

export const compareLists = (pair: SchemaPair, fit: CompareSchemas): string[] => {
  const fixed = Math.max(listAt(pair.from, 'prefixItems').length, listAt(pair.to, 'prefixItems').length);
  const places = Array.from({ length: fixed + 1 }, (_, index) => index);
  return places.flatMap((index) =>
    fit(inside(pair, place(pair.from, index), place(pair.to, index), index < fixed ? String(index) : '*')),
  );
};
