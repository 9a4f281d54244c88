/** Each once, in order: a list that was meant as a set. */
export const inOrder = <T extends string | number>(list: readonly T[]): T[] =>
  [...new Set(list)].toSorted((a, b) => (a < b ? -1 : 1));
