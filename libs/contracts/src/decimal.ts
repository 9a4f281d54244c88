/**
 * Exact decimals with two places as whole hundredths: wire and database speak `"1.50"`, rules count 150, and no
 * float ever holds hours or points.
 */
export const toHundredths = (decimal: string): number => Number(decimal.replace('.', ''));

export const fromHundredths = (hundredths: number): string => {
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** The exact sum of decimals with two places; `"0.00"` of none. */
export const sumOf = (decimals: readonly string[]): string =>
  fromHundredths(decimals.reduce((total, one) => total + toHundredths(one), 0));

/** A share of some hours, both in hundredths, rounded half up to a hundredth. */
export const shareOf = (hours: number, share: number): number => Math.floor((hours * share + 50) / 100);
