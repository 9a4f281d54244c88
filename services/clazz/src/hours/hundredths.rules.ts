import { ACCOUNT_SUMS, fromHundredths, toHundredths } from '@teaching/contracts';

type Amounts<K extends PropertyKey, V> = Readonly<Record<K, V>>;
/** A row whose decimals are counted in hundredths. */
export type InHundredths<T, K extends keyof T> = Omit<T, K> & Record<K, number>;
type AsDecimals<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

/** The decimals of each record of the ledger. Rules count them in hundredths, rows and answers have them as text. */
export const AMOUNTS = {
  account: ['balance', ...ACCOUNT_SUMS],
  lot: ['granted', 'remaining'],
  draw: ['amount'],
  entry: ['amount', 'balance_before', 'balance_after'],
} as const;

/** A copy in which some members went through `to`. A roll call does this with every row it reads and writes. */
const mapped = (row: object, names: readonly string[], to: (value: never) => unknown): object => {
  const copy: Record<string, unknown> = { ...row };
  for (const name of names) copy[name] = to(copy[name] as never);
  return copy;
};

export const inHundredths = <K extends string, T extends Amounts<K, string>>(names: readonly K[], row: T) =>
  mapped(row, names, toHundredths) as InHundredths<T, K>;

export const asDecimals = <K extends string, T extends Amounts<K, number>>(names: readonly K[], row: T) =>
  mapped(row, names, fromHundredths) as AsDecimals<T, K>;
