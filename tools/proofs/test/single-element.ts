/** The only element of a list. Throws when the list does not have exactly one. */
export const singleElement = <T>(list: readonly T[]): T => {
  const [first, ...more] = list;
  if (first === undefined || more.length > 0)
    throw new Error(`expected exactly one element, not ${JSON.stringify(list)}`);
  return first;
};
