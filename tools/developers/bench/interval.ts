/** A ratio with the interval that holds the true one in 95 of 100 runs. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

const NORMAL_975 = 1.959963984540054;

/** The 97.5 % quantile of Student's distribution, expanded around the normal one: exact to 0.1 % from 4 degrees on. */
export const student975 = (degrees: number): number => {
  const z = NORMAL_975;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1_482 * z ** 5 - 1_920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduce((sum, term, index) => sum + term / degrees ** (index + 1), z);
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The ratio of the first to the second value of each pair. Both were measured in direct succession, so a disturbance of the machine
 * affects both, and the spread of the pairs' ratios shows how certain the result is. Logarithms give twice and half the same weight.
 */
export const pairedRatio = (pairs: readonly (readonly [number, number])[]): Ratio | undefined => {
  const logs = pairs.filter(([a, b]) => a > 0 && b > 0).map(([a, b]) => Math.log(a / b));
  if (logs.length < 5) return undefined;
  const center = mean(logs);
  const variance = logs.reduce((sum, log) => sum + (log - center) ** 2, 0) / (logs.length - 1);
  const half = student975(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(center), low: Math.exp(center - half), high: Math.exp(center + half) };
};
