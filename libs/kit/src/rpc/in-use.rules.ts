import { Problem } from '@teaching/contracts';

/** How often something is used by records of one kind, e.g. `{ what: 'course', count: 3 }`. */
export interface Use {
  what: string;
  count: number;
}

/** Refuses to delete what is used; the answer says by what (`used_by`). */
export const requireUnused = (uses: readonly Use[]): void => {
  const used_by = uses.filter(({ count }) => count > 0);
  if (used_by.length === 0) return;
  const words = used_by.map(({ what, count }) => `${count} × ${what}`);
  throw new Problem('in_use', { detail: `Still used by ${words.join(', ')}`, members: { used_by } });
};
