import { ACCOUNT_SUMS, type HourEntry } from '@teaching/contracts';

type Sum = (typeof ACCOUNT_SUMS)[number];
/** What a ledger's entries add up to, kind by kind (hundredths). */
export type Sums = Record<Sum, number>;

/**
 * Where an entry counts: what brings hours with its sign, what takes them with the opposite one. Taking over what is
 * owed moves nothing.
 */
const COUNTS: Readonly<Record<HourEntry['kind'], readonly [Sum, 1 | -1] | null>> = {
  grant: ['granted', 1],
  adjust: ['adjusted', 1],
  transfer_in: ['transferred_in', 1],
  transfer_out: ['transferred_out', -1],
  consume: ['consumed', -1],
  reverse: ['consumed', -1],
  refund: ['refunded', -1],
  expire: ['expired', -1],
  settle: null,
};

/** The sums after one more entry. */
export const withEntry = (sums: Sums, kind: HourEntry['kind'], amount: number): Sums => {
  const counts = COUNTS[kind];
  if (counts === null) return sums;
  const [name, sign] = counts;
  return { ...sums, [name]: sums[name] + sign * amount };
};

/** Each sum made from a source of its own. */
export const sumsFrom = <V>(of: (name: Sum) => V) =>
  Object.fromEntries(ACCOUNT_SUMS.map((name) => [name, of(name)])) as Record<Sum, V>;
