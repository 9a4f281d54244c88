import { ACCOUNT_SUMS, fromHundredths, type HourEntry, toHundredths } from '@teaching/contracts';

type Amounts<K extends PropertyKey, V> = Readonly<Record<K, V>>;
/** A row with its decimals as integers in hundredths. */
export type InHundredths<T, K extends keyof T> = Omit<T, K> & Record<K, number>;
type AsDecimals<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

/** The decimal fields of each record. Rules use hundredths; rows and answers contain decimal texts. */
export const AMOUNTS = {
  account: ['balance', ...ACCOUNT_SUMS],
  lot: ['granted', 'remaining'],
  draw: ['amount'],
  entry: ['amount', 'balance_before', 'balance_after'],
} as const;

/** A copy with some members converted. A loop, because a roll call converts every row that it reads and writes. */
const mapped = (row: object, names: readonly string[], to: (value: never) => unknown): object => {
  const copy: Record<string, unknown> = { ...row };
  for (const name of names) copy[name] = to(copy[name] as never);
  return copy;
};

export const amountsToHundredths = <K extends string, T extends Amounts<K, string>>(names: readonly K[], row: T) =>
  mapped(row, names, toHundredths) as InHundredths<T, K>;

export const amountsToDecimals = <K extends string, T extends Amounts<K, number>>(names: readonly K[], row: T) =>
  mapped(row, names, fromHundredths) as AsDecimals<T, K>;

type Sum = (typeof ACCOUNT_SUMS)[number];
/** The sums of a ledger's entries by kind, in hundredths. */
export type Sums = Record<Sum, number>;

/**
 * The sum that an entry counts in, and its sign: incoming hours with their sign, outgoing hours with the opposite one.
 * `settle` changes no sum.
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

/** The kind by which an entry counts in the sums: a reversal without a lesson undoes a grant. */
export const countedKind = ({ kind, lesson_id }: Pick<HourEntry, 'kind' | 'lesson_id'>): HourEntry['kind'] =>
  kind === 'reverse' && lesson_id === null ? 'grant' : kind;

/** The sums after one more entry of a counted kind. */
export const addToSums = (sums: Sums, kind: HourEntry['kind'], amount: number): Sums => {
  const counts = COUNTS[kind];
  if (counts === null) return sums;
  const [name, sign] = counts;
  return { ...sums, [name]: sums[name] + sign * amount };
};

/** A record with one value for each sum. */
export const sumsFrom = <V>(of: (name: Sum) => V) =>
  Object.fromEntries(ACCOUNT_SUMS.map((name) => [name, of(name)])) as Record<Sum, V>;
