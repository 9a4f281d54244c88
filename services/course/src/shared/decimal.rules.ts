/** `"12.50"` → 1250. Points are added as integers of hundredths, never as floats. */
export const toHundredths = (decimal: string): number => Math.round(Number(decimal) * 100);

/** 1250 → `"12.50"`. */
export const fromHundredths = (hundredths: number): string =>
  `${Math.trunc(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;

export const sum = (decimals: readonly string[]): string =>
  fromHundredths(decimals.reduce((total, one) => total + toHundredths(one), 0));
