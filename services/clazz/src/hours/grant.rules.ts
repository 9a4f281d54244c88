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

/** A published package version, as the package service answers it. */
export type PurchasedPackage = Omit<BoughtVersion, 'wanted'>;

/** The fields of a lot in a grant. */
type GrantFields = Parameters<typeof LotFields.withDefaults>[0] & { hours: string };
type Rules = Pick<Policy, 'zone' | 'currency'>;

/** The list price of the package in proportion to the hours. A gift costs nothing. */
const standardPrice = (hours: number, kind: GrantFields['kind'], bought: PurchasedPackage | null): number => {
  const total = bought === null ? 0 : toHundredths(bought.total_hours);
  if (bought === null || kind === 'gift' || total === 0) return 0;
  return worthOf({ granted: total, price_minor: bought.price_minor }, hours).amount_minor;
};

/**
 * The price for all hours and its currency. The currency is undefined if the grant, the package and the policy contain
 * none.
 */
const priceOf = (grant: GrantFields, bought: PurchasedPackage | null, { currency }: Rules) => {
  const price_minor = grant.price_minor ?? standardPrice(toHundredths(grant.hours), grant.kind, bought);
  return { price_minor, currency: currencyOf(price_minor, grant.currency, bought?.currency, currency) };
};

/**
 * The problems of a grant: an expiry in the past, or a price without a currency (domain rules, section 10). `at` is its
 * JSON Pointer.
 */
export const grantProblems = (
  grant: GrantFields,
  bought: PurchasedPackage | null,
  policy: Rules,
  { now, at }: { now: Date; at: string },
): FieldProblem[] => {
  const isLate = grant.expires_at != null && grant.expires_at <= now.toISOString();
  const isPriced = priceOf(grant, bought, policy).currency !== undefined;
  return [
    ...(isLate ? [{ path: `${at}/expires_at`, message: 'must be in the future' }] : []),
    ...(isPriced ? [] : [{ path: `${at}/currency`, message: NO_CURRENCY }]),
  ];
};

/** The lot of a grant. Omitted fields come from the package version, then from the policy of the org. */
export const newLot = (grant: GrantFields, bought: PurchasedPackage | null, policy: Rules, now: Date): NewLot => {
  const days = bought?.validity_days ?? null;
  const { price_minor, currency = null } = priceOf(grant, bought, policy);
  const fields = LotFields.withDefaults(grant, {
    price_minor,
    currency,
    package_id: null,
    package_version: bought?.version ?? null,
    expires_at: days === null ? null : endOfDay(now, days, policy.zone),
  });
  return { ...fields, currency, granted: toHundredths(grant.hours), package_title: bought?.title ?? null };
};
