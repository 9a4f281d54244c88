import { LotFields, type Policy, Problem, toHundredths } from '@teaching/contracts';
import { endOfDay } from '@teaching/kit';
import type { NewLot } from './account.rules.ts';
import { worthOf } from './money.rules.ts';

/** What a published package version promises. */
export interface Bought {
  package_id: string;
  version: number;
  total_hours: string;
  price_minor: number;
  currency: string;
  validity_days: number | null;
}

/** What a grant says of its lot. */
type Given = Parameters<typeof LotFields.filled>[0] & { hours: string };

/** The package's price in proportion to the hours; a gift costs nothing. */
const standardPrice = (hours: number, kind: Given['kind'], bought: Bought | null): number => {
  const total = bought === null ? 0 : toHundredths(bought.total_hours);
  if (bought === null || kind === 'gift' || total === 0) return 0;
  return worthOf({ granted: total, price_minor: bought.price_minor }, hours).amount_minor;
};

/** Hours that nobody could use are not granted (rules, part 10). */
export const requireAhead = ({ expires_at }: Pick<Given, 'expires_at'>, now: Date): void => {
  if (expires_at == null || expires_at > now.toISOString()) return;
  throw new Problem('invalid_request', { errors: [{ path: '/body/expires_at', message: 'must be in the future' }] });
};

/**
 * The lot a grant makes. What the grant leaves open comes from the package version that was bought, and what that
 * leaves open from the org's policy.
 */
export const lotOf = (
  given: Given,
  bought: Bought | null,
  { zone, currency }: Pick<Policy, 'zone' | 'currency'>,
  now: Date,
): NewLot => {
  const granted = toHundredths(given.hours);
  const days = bought?.validity_days ?? null;
  const fields = LotFields.filled(given, {
    price_minor: standardPrice(granted, given.kind, bought),
    currency: bought?.currency ?? currency,
    package_id: null,
    package_version: bought?.version ?? null,
    expires_at: days === null ? null : endOfDay(now, days, zone),
  });
  return { ...fields, granted };
};
