import { type Package, Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor } from '@teaching/kit';

/** Staff see every package of the org, students what is on sale. */
export const maySee = (caller: Caller, it: { active: boolean; published_at?: string | null | undefined }): boolean =>
  isStaff(caller) || (it.active && it.published_at != null);

/** The owning teacher or a supervisor. */
export const requireOwner = (caller: Caller, it: { teacher_id: string }): void => {
  if (!isSupervisor(caller) && it.teacher_id !== caller.user_id) {
    throw new Problem('forbidden', 'Only the owning teacher or a supervisor may change this package');
  }
};

/** Spec part 3: while `published_at` is set, the package is locked. */
export const requireUnpublished = (it: { published_at?: string | null | undefined }): void => {
  if (it.published_at != null) throw new Problem('package_published');
};

/** A teacher owns what they create; only a supervisor may name somebody else. */
export const ownerOf = (caller: Caller, wanted: string | null | undefined): string => {
  if (wanted == null || wanted === caller.user_id) return caller.user_id;
  if (isSupervisor(caller)) return wanted;
  throw new Problem('forbidden', 'Only a supervisor may set another teacher as owner');
};

/** Used where the request leaves the field out. */
export const DEFAULTS = {
  description: '',
  price_minor: 0,
  currency: 'CNY',
  total_hours: '0.00',
  active: true,
} as const;

type Editable = Pick<
  Package,
  'title' | 'description' | 'category_id' | 'price_minor' | 'currency' | 'total_hours' | 'validity_days' | 'active'
>;
type Patch = { readonly [K in keyof Editable]?: Editable[K] | null | undefined };

/** PATCH: absent keeps, `null` goes back to the default. */
export const applyPatch = (current: Editable, patch: Patch): Editable => {
  const pick = <K extends keyof Editable>(key: K, standard: Editable[K]): Editable[K] => {
    const wanted = patch[key];
    if (wanted === undefined) return current[key];
    return wanted ?? standard;
  };
  return {
    title: pick('title', current.title),
    description: pick('description', DEFAULTS.description),
    category_id: pick('category_id', null),
    price_minor: pick('price_minor', DEFAULTS.price_minor),
    currency: pick('currency', DEFAULTS.currency),
    total_hours: pick('total_hours', DEFAULTS.total_hours),
    validity_days: pick('validity_days', null),
    active: pick('active', DEFAULTS.active),
  };
};
