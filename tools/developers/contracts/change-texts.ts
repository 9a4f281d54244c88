import { type Json, OWN_CHECKS, type Schema } from './schema.ts';

export type Side = 'input' | 'output';

/** One comparison: whether all that `from` allows is allowed by `to`. */
export interface SchemaPair {
  from: Schema;
  to: Schema;
  /** Input checks whether the old fits the new, output whether the new fits the old. */
  side: Side;
  /** Where in the document. */
  at: string;
}

export const asBefore = <T>(side: Side, from: T, to: T): { before: T; after: T } =>
  side === 'input' ? { before: from, after: to } : { before: to, after: from };

export const changeText = (at: string, what: string): string => `${at === '' ? '/' : at} ${what}`;

const named = (option: Schema): string => {
  if ('const' in option) return JSON.stringify(option['const']);
  return typeof option['type'] === 'string' ? option['type'] : 'anything';
};

/** A kind of value that the other side does not have. */
export const lostKindText = ({ side, at }: SchemaPair, option: Schema): string =>
  changeText(at, `${side === 'input' ? 'no longer takes' : 'may now be'} ${named(option)}`);

const labelOf = (keyword: string): string => (keyword === OWN_CHECKS ? 'check in code' : keyword);

const shown = (value: Json | undefined): string => (value === undefined ? 'none' : JSON.stringify(value));

/** The text for a limit that the other side does not keep. */
export const limitText = ({ from, to, side, at }: SchemaPair, keyword: string): string => {
  const { before, after } = asBefore(side, from[keyword], to[keyword]);
  return changeText(
    at,
    `has a ${side === 'input' ? 'tighter' : 'wider'} ${labelOf(keyword)}: ${shown(after)} instead of ${shown(before)}`,
  );
};
