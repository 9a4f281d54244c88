import { fromHundredths, type LotKind } from '@teaching/contracts';

/** The price of a lot, in minor units, for all granted hours (in hundredths). */
export interface LotPrice {
  granted: number;
  price_minor: number;
}

/** An amount of money in minor units of its currency. Both fields are set, or none. */
export interface Money {
  price_minor: number | null;
  currency: string | null;
}
export const NO_MONEY: Money = { price_minor: null, currency: null };

/** The money paid for a lot. A gift is not sold, and nothing is paid without a price. */
export const moneyOf = ({ kind, price_minor, currency }: { kind: LotKind } & Money): Money =>
  kind === 'gift' || price_minor === 0 ? NO_MONEY : { price_minor, currency };

export interface Worth {
  amount_minor: number;
  /** The calculation of the amount, as a readable text. */
  working: string;
}

/**
 * The worth of `hours` of a lot: price × hours ÷ granted, rounded half up. It uses big integers, because price × hours
 * can exceed 2^53.
 */
export const worthOf = ({ granted, price_minor }: LotPrice, hours: number): Worth => {
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
 * The worth of the hours by which a lot falls from `before` to `after`.
 * It is the difference of both worths, so parts moved one after the other never add up to more than the price.
 */
export const worthBetween = (lot: LotPrice, before: number, after: number): number =>
  worthOf(lot, before).amount_minor - worthOf(lot, after).amount_minor;
