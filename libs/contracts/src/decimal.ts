/**
 * A decimal with two places as whole hundredths: `"1.50"` is 150. Rules calculate in hundredths, so that hours and
 * points are never floats.
 */
export const toHundredths = (decimal: string): number => Number(decimal.replace('.', ''));

/** The inverse of `toHundredths`. */
export const fromHundredths = (hundredths: number): string => {
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** The exact sum of decimals with two places; `"0.00"` for an empty list. */
export const sumOf = (decimals: readonly string[]): string =>
  fromHundredths(decimals.reduce((total, one) => total + toHundredths(one), 0));

/** `hours` × `share`, both in hundredths, rounded half up to a hundredth. */
export const shareOf = (hours: number, share: number): number => Math.floor((hours * share + 50) / 100);
