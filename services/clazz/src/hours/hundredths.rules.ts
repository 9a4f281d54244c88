/**
 * Exact decimals with two places as whole hundredths. Wire and database speak `"1.50"`, rules count 150:
 * no float ever holds hours.
 */
export const toHundredths = (decimal: string): number => Number(decimal.replace('.', ''));

export const fromHundredths = (hundredths: number): string => {
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** A share of some hours, both in hundredths, rounded half up to a hundredth. */
export const shareOf = (hours: number, share: number): number => Math.floor((hours * share + 50) / 100);
