import { fromHundredths, type LotKind } from '@teaching/contracts';

/** What a lot was bought for: a price in minor units for all hours granted (hundredths). */
export interface Priced {
  granted: number;
  price_minor: number;
}

/** Money that changes hands, in minor units of its currency: both or neither. */
export interface Money {
  price_minor: number | null;
  currency: string | null;
}
export const NO_MONEY: Money = { price_minor: null, currency: null };

/** What is paid for a lot. A gift is not sold, whatever it is worth, and nothing is paid without a price. */
export const moneyOf = ({ kind, price_minor, currency }: { kind: LotKind } & Money): Money =>
  kind === 'gift' || price_minor === 0 ? NO_MONEY : { price_minor, currency };

export interface Worth {
  amount_minor: number;
  /** The division behind the amount, in words a person can check. */
  working: string;
}

/**
 * What `hours` of a lot are worth: price × hours ÷ granted, rounded half up. Whole minor units divided in
 * big integers, because price × hours can pass 2^53.
 */
export const worthOf = ({ granted, price_minor }: Priced, hours: number): Worth => {
  const product = BigInt(price_minor) * BigInt(hours);
  const divisor = BigInt(granted);
  const quotient = product / divisor;
  const remainder = product % divisor;
  const amount_minor = Number(2n * remainder >= divisor ? quotient + 1n : quotient);
  const division = `${price_minor} × ${fromHundredths(hours)} ÷ ${fromHundredths(granted)}`;
  const rest = remainder === 0n ? '' : ` remainder ${fromHundredths(Number(remainder))}`;
  return { amount_minor, working: `${division} = ${quotient}${rest} → ${amount_minor}` };
};

/**
 * What leaves a lot when its remaining hours fall from `before` to `after`: the difference of both worths,
 * so that parts moved one by one never add up to more than the price.
 */
export const worthBetween = (lot: Priced, before: number, after: number): number =>
  worthOf(lot, before).amount_minor - worthOf(lot, after).amount_minor;
