import { covers } from '../../../operators/broker/accounts.ts';

export const isCovered = (patterns: readonly string[], subject: string): boolean =>
  patterns.some((pattern) => covers(pattern, subject));

/** The end of subjects that only these tests use. */
export const FORGED = 'forged';

/** A subject of this pattern. */
export const exampleOf = (pattern: string): string => pattern.replaceAll('*', 'any').replace(/>$/, FORGED);
