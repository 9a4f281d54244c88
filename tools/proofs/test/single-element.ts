/** The one element of a list that must have exactly one. */
export const singleElement = <T>(list: readonly T[]): T => {
  const [first, ...more] = list;
  if (first === undefined || more.length > 0) throw new Error(`one was expected, not ${JSON.stringify(list)}`);
  return first;
};
