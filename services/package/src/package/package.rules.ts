import { type Package, Problem, toHundredths } from '@teaching/contracts';

/** What is offered to students: staff see every package of the org. */
export const isOnSale = (it: { active: boolean; published_at: string | null }): boolean =>
  it.active && it.published_at !== null;

/** What a new package says of its publication. */
export const NEVER_PUBLISHED = { published_at: null, published_snapshot: null, published_version: null };

/** Spec part 3: while `published_at` is set, the package is locked. */
export const requireUnpublished = (it: { published_at: string | null }): void => {
  if (it.published_at !== null) throw new Problem('package_published');
};

/** What is sold has hours, or nobody could say what one of them cost (rules, part 10). What costs nothing may have none. */
export const requireComplete = ({ price_minor, total_hours }: Pick<Package, 'price_minor' | 'total_hours'>): void => {
  if (price_minor > 0 && toHundredths(total_hours) === 0) throw new Problem('package_incomplete');
};
