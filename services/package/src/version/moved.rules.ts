interface Kept {
  id: string;
  /** Its place before. */
  was: number;
  /** The weight of the best list that ends with it, and what comes before it there. */
  weight: number;
  previous: Kept | undefined;
}

const heavier = (a: Kept | undefined, b: Kept): Kept => (a === undefined || b.weight > a.weight ? b : a);

/**
 * The fewest ids that have to be moved to get from one order to the other; what is in one of them only is no move.
 * The others are the longest list that both have in the same order: of several, one with most at the very place
 * they had.
 */
export const movedIds = (before: readonly string[], after: readonly string[]): Set<string> => {
  const places = new Map(before.map((id, place) => [id, place]));
  const lists: Kept[] = [];
  let best: Kept | undefined;
  for (const [place, id] of after.entries()) {
    const was = places.get(id);
    if (was === undefined) continue;
    let previous: Kept | undefined;
    for (const list of lists) if (list.was < was) previous = heavier(previous, list);
    // One more in the list outweighs any number that have kept their place.
    const own = after.length + 1 + (was === place ? 1 : 0);
    const list = { id, was, weight: (previous?.weight ?? 0) + own, previous };
    lists.push(list);
    best = heavier(best, list);
  }
  const moved = new Set(lists.map(({ id }) => id));
  for (let kept = best; kept !== undefined; kept = kept.previous) moved.delete(kept.id);
  return moved;
};
