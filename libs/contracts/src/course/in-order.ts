/** The sorted list without duplicates, for a list that represents a set. */
export const inOrder = <T extends string | number>(list: readonly T[]): T[] =>
  [...new Set(list)].toSorted((a, b) => (a < b ? -1 : 1));
