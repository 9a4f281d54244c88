import { DAY_MS } from '@teaching/kit';
import { type HourLot, toHundredths } from '@teaching/contracts';
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

export interface GrantWish {
  hours: string;
  kind?: HourLot['kind'] | null | undefined;
  price_minor?: number | null | undefined;
  currency?: string | null | undefined;
  course_id?: string | null | undefined;
  expires_at?: string | null | undefined;
}

const STANDARD_CURRENCY = 'CNY';

/** The package's price in proportion to the hours; a gift costs nothing. */
const standardPrice = (hours: number, kind: HourLot['kind'], bought: Bought | null): number => {
  const total = bought === null ? 0 : toHundredths(bought.total_hours);
  if (bought === null || kind === 'gift' || total === 0) return 0;
  return worthOf({ granted: total, price_minor: bought.price_minor }, hours).amount_minor;
};

/** The lot a grant makes. What the grant leaves open comes from the package version that was bought. */
export const lotOf = (wish: GrantWish, bought: Bought | null, now: Date): NewLot => {
  const granted = toHundredths(wish.hours);
  const kind = wish.kind ?? 'paid';
  const validity_days = bought?.validity_days ?? null;
  const ends = validity_days === null ? null : new Date(now.getTime() + validity_days * DAY_MS).toISOString();
  return {
    kind,
    granted,
    course_id: wish.course_id ?? null,
    price_minor: wish.price_minor ?? standardPrice(granted, kind, bought),
    currency: wish.currency ?? bought?.currency ?? STANDARD_CURRENCY,
    package_id: bought?.package_id ?? null,
    package_version: bought?.version ?? null,
    expires_at: wish.expires_at ?? ends,
  };
};
