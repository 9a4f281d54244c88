import {
  type BoughtVersion,
  currencyOf,
  type FieldProblem,
  LotFields,
  NO_CURRENCY,
  type Policy,
  toHundredths,
} from '@teaching/contracts';
import { endOfDay } from '@teaching/kit';
import type { NewLot } from './account.rules.ts';
import { worthOf } from './money.rules.ts';

/** What a published package version promises. */
export type PurchasedPackage = Omit<BoughtVersion, 'wanted'>;

/** What a grant says of its lot. */
type Given = Parameters<typeof LotFields.withDefaults>[0] & { hours: string };
type Rules = Pick<Policy, 'zone' | 'currency'>;

/** The package's price in proportion to the hours; a gift costs nothing. */
const standardPrice = (hours: number, kind: Given['kind'], bought: PurchasedPackage | null): number => {
  const total = bought === null ? 0 : toHundredths(bought.total_hours);
  if (bought === null || kind === 'gift' || total === 0) return 0;
  return worthOf({ granted: total, price_minor: bought.price_minor }, hours).amount_minor;
};

/** The price for all hours, and what it is in: `undefined` if neither the grant, the package nor the policy says. */
const priceOf = (given: Given, bought: PurchasedPackage | null, { currency }: Rules) => {
  const price_minor = given.price_minor ?? standardPrice(toHundredths(given.hours), given.kind, bought);
  return { price_minor, currency: currencyOf(price_minor, given.currency, bought?.currency, currency) };
};

/** The problems of a grant at `at`: hours that are expired already, and a price without a currency (rules, part 10). */
export const problemsOf = (
  given: Given,
  bought: PurchasedPackage | null,
  policy: Rules,
  { now, at }: { now: Date; at: string },
): FieldProblem[] => {
  const isLate = given.expires_at != null && given.expires_at <= now.toISOString();
  const isPriced = priceOf(given, bought, policy).currency !== undefined;
  return [
    ...(isLate ? [{ path: `${at}/expires_at`, message: 'must be in the future' }] : []),
    ...(isPriced ? [] : [{ path: `${at}/currency`, message: NO_CURRENCY }]),
  ];
};

/**
 * The lot a grant makes. What the grant leaves open comes from the package version that was bought, and what that
 * leaves open from the org's policy.
 */
export const lotOf = (given: Given, bought: PurchasedPackage | null, policy: Rules, now: Date): NewLot => {
  const days = bought?.validity_days ?? null;
  const { price_minor, currency = null } = priceOf(given, bought, policy);
  const fields = LotFields.withDefaults(given, {
    price_minor,
    currency,
    package_id: null,
    package_version: bought?.version ?? null,
    expires_at: days === null ? null : endOfDay(now, days, policy.zone),
  });
  return { ...fields, currency, granted: toHundredths(given.hours), package_title: bought?.title ?? null };
};
