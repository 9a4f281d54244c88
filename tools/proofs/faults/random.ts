/** Pseudo-random numbers that are the same for the same seed (mulberry32). */
export interface Random {
  /** A number from 0 to less than 1. */
  next: () => number;
  /** A whole number from 0 to less than `end`. */
  below: (end: number) => number;
  between: (from: number, to: number) => number;
  pick<T>(list: readonly T[]): T;
}

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    between: (from, to) => from + next() * (to - from),
    pick: (list) => {
      const item = list[below(list.length)];
      if (item === undefined) throw new Error('pick needs a list that is not empty');
      return item;
    },
  };
};
