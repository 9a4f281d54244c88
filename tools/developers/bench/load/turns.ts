/** The items one after the other, round and round. */
export const turns = <T>(items: readonly T[]): (() => T) => {
  let next = 0;
  return () => {
    const item = items[next];
    if (item === undefined) throw new Error('There is nothing to work on');
    next = (next + 1) % items.length;
    return item;
  };
};
