import { z } from 'zod';
import { limitsOf } from './compare-limits.ts';
import { compareLists, compareObjects } from './compare-members.ts';
import { isSchema, type Json, keywordsOf, OPEN_ENUM, optionsOf, partsOf, type Schema } from './schema.ts';
import { lostKindText, type SchemaPair, changeText, type Side } from './change-texts.ts';

/** The documents that references point into, and the schemas in comparison further up. */
type Roots = { from: Schema; to: Schema; above: readonly string[] };

/** Whether a scalar value of an enum or literal is accepted: text, number, flag or null. */
const takes = (to: Schema, value: Json | undefined): boolean => {
  if ('const' in to) return JSON.stringify(to['const']) === JSON.stringify(value);
  return to['type'] !== 'object' && to['type'] !== 'array' && z.fromJSONSchema({ ...to }).safeParse(value).success;
};

const sameKind = (from: Schema, to: Schema): boolean =>
  !('const' in to) && (from['type'] === to['type'] || (from['type'] === 'integer' && to['type'] === 'number'));

const single = (pair: SchemaPair, roots: Roots): string[] => {
  const { from, to } = pair;
  if (keywordsOf(to).length === 0) return [];
  if ('const' in from && !takes(to, from['const'])) return [lostKindText(pair, from)];
  if ('const' in from) return 'const' in to ? limitsOf(pair) : [];
  if (!sameKind(from, to)) return [lostKindText(pair, from)];
  const fit = (deeper: SchemaPair): string[] => whole(deeper, roots);
  if (from['type'] === 'object') return [...limitsOf(pair), ...compareObjects(pair, fit)];
  return from['type'] === 'array' ? [...limitsOf(pair), ...compareLists(pair, fit)] : limitsOf(pair);
};

const fewest = (found: string[][], none: string[]): string[] =>
  found.toSorted((a, b) => a.length - b.length)[0] ?? none;

/** Every requirement of `to` must follow from one of `from`. */
const together = (pair: SchemaPair, roots: Roots): string[] => {
  const said = partsOf(pair.from);
  const one = 'allOf' in pair.from || 'allOf' in pair.to ? whole : single;
  return partsOf(pair.to).flatMap((to) =>
    fewest(
      said.map((from) => one({ ...pair, from, to }, roots)),
      [],
    ),
  );
};

/** An additional value of an enum whose readers expect more values. */
const isForeseen = ({ from, side }: SchemaPair, places: readonly Schema[]): boolean =>
  side === 'output' &&
  places.some((to) => to[OPEN_ENUM] === true && 'const' in from && typeof from['const'] === typeof to['const']);

/** Each option of `from` needs a match in `to`. If there is none, the nearest one of its kind names the difference. */
const option = (pair: SchemaPair, places: readonly Schema[], roots: Roots): string[] => {
  const found = places.map((to) => together({ ...pair, to }, roots));
  if (found.some((problems) => problems.length === 0) || isForeseen(pair, places)) return [];
  const near = found.filter((_, index) => sameKind(pair.from, places[index] ?? {}));
  return fewest('const' in pair.from ? [] : near, [lostKindText(pair, pair.from)]);
};

const whole = (pair: SchemaPair, roots: Roots): string[] => {
  const both = JSON.stringify([pair.from, pair.to]);
  // A recursive record: a comparison in progress further up need not be repeated.
  if (both.includes('"$ref"') && roots.above.includes(both)) return [];
  const below = { ...roots, above: [...roots.above, both] };
  const places = optionsOf(pair.to, roots.to);
  const found = optionsOf(pair.from, roots.from).flatMap((from) => option({ ...pair, from }, places, below));
  return [...new Set([...found, ...changedDefault(pair)])];
};

/** A request field that is left out now means something else. */
const changedDefault = ({ from, to, side, at }: SchemaPair): string[] => {
  const kept = ['default', '_prefault'].every(
    (key) => from[key] === undefined || JSON.stringify(from[key]) === JSON.stringify(to[key]),
  );
  return side === 'output' || kept ? [] : [changeText(at, 'has another default')];
};

/**
 * The breaking changes between two JSON Schemas. Input (requests, and events that a rebuild reads from the history): everything
 * that was accepted is still accepted. Output (answers, and events for subscribers): everything that may occur now might have
 * occurred before, except new fields, which readers ignore.
 */
export const breakingChanges = (before: Json | undefined, after: Json | undefined, side: Side): string[] => {
  if (!isSchema(before)) return [];
  if (!isSchema(after)) return [changeText('', 'is gone')];
  const [from, to] = side === 'input' ? [before, after] : [after, before];
  return whole({ from, to, side, at: '' }, { from, to, above: [] });
};
