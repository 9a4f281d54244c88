import { Problem } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

/** Staff see every package of the org, students what is on sale. */
export const maySee = (caller: Caller, it: { active: boolean; published_at: string | null }): boolean =>
  isStaff(caller) || (it.active && it.published_at !== null);

/** Spec part 3: while `published_at` is set, the package is locked. */
export const requireUnpublished = (it: { published_at: string | null }): void => {
  if (it.published_at !== null) throw new Problem('package_published');
};
