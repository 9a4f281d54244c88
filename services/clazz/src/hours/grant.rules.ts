import { LotFields, STANDARD_CURRENCY, toHundredths } from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
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

/** The lot a grant makes. What the grant leaves open comes from the package version that was bought. */
export const lotOf = (given: Given, bought: Bought | null, now: Date): NewLot => {
  const granted = toHundredths(given.hours);
  const days = bought?.validity_days ?? null;
  const fields = LotFields.filled(given, {
    price_minor: standardPrice(granted, given.kind, bought),
    currency: bought?.currency ?? STANDARD_CURRENCY,
    package_id: null,
    package_version: bought?.version ?? null,
    expires_at: days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
  });
  return { ...fields, granted };
};
