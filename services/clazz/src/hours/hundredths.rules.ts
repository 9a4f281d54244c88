import { fromHundredths, toHundredths } from '@teaching/contracts';

type Amounts<K extends PropertyKey, V> = Readonly<Record<K, V>>;
/** A row whose decimals are counted in hundredths. */
export type InHundredths<T, K extends keyof T> = Omit<T, K> & Record<K, number>;
type AsDecimals<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

/** The decimals of each record of the ledger. Rules count them in hundredths, rows and answers have them as text. */
export const AMOUNTS = {
  account: ['balance', 'granted', 'consumed'],
  lot: ['granted', 'remaining'],
  draw: ['amount'],
  entry: ['amount', 'balance_before', 'balance_after'],
} as const;

export const inHundredths = <K extends string, T extends Amounts<K, string>>(
  names: readonly K[],
  row: T,
): InHundredths<T, K> => ({
  ...row,
  ...(Object.fromEntries(names.map((name) => [name, toHundredths(row[name])])) as Record<K, number>),
});

export const asDecimals = <K extends string, T extends Amounts<K, number>>(
  names: readonly K[],
  row: T,
): AsDecimals<T, K> => ({
  ...row,
  ...(Object.fromEntries(names.map((name) => [name, fromHundredths(row[name])])) as Record<K, string>),
});
