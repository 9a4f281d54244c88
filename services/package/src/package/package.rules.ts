import { type Package, Problem, toHundredths } from '@teaching/contracts';

/** Whether students may read the package. Staff may read every package of the org. */
export const isOnSale = (it: { active: boolean; published_at: string | null }): boolean =>
  it.active && it.published_at !== null;

/** The publication fields of a new package. */
export const NEVER_PUBLISHED = { published_at: null, published_snapshot: null, published_version: null };

/** Refuses a change while `published_at` is set (spec part 3). */
export const requireUnpublished = (it: { published_at: string | null }): void => {
  if (it.published_at !== null) throw new Problem('package_published');
};

/**
 * A package with a price needs hours, since its price per hour is computed (rules, part 10). A free one may have none.
 */
export const requireComplete = ({ price_minor, total_hours }: Pick<Package, 'price_minor' | 'total_hours'>): void => {
  if (price_minor > 0 && toHundredths(total_hours) === 0) throw new Problem('package_incomplete');
};
