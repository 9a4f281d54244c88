/** Processes items with so many workers at once. Returns the results in the order of the items. */
export const inParallel = async <T, R>(
  items: readonly T[],
  workers: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const left = items.entries();
  const one = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: workers }, one));
  return results;
};
