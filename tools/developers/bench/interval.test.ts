import { describe, expect, it } from 'vitest';
import { pairedRatio, student975 } from './interval.ts';

/** The same numbers each time, as if by chance: Box and Muller over a small generator. */
const normals = (seed: number) => {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
};

it.each([
  [4, 2.776],
  [9, 2.262],
  [19, 2.093],
  [59, 2.001],
])('the quantile for %i degrees is the table’s', (degrees, expected) => {
  expect(student975(degrees)).toBeCloseTo(expected, 2);
});

describe('The ratio of pairs', () => {
  it('is exact when every pair has the same ratio', () => {
    const { ratio, low, high } = pairedRatio(Array.from({ length: 20 }, (_, n) => [3 * (n + 1), 2 * (n + 1)])) ?? {};
    expect([ratio, low, high].map((value) => value?.toFixed(9))).toEqual(['1.500000000', '1.500000000', '1.500000000']);
  });

  it('is inverted when the pairs are', () => {
    const pairs = [10, 12, 9, 11, 14, 8].map((value, n): [number, number] => [value, 10 + (n % 2)]);
    const there = pairedRatio(pairs);
    const back = pairedRatio(pairs.map(([a, b]) => [b, a]));
    expect((there?.ratio ?? 0) * (back?.ratio ?? 0)).toBeCloseTo(1, 9);
    expect((there?.low ?? 0) * (back?.high ?? 0)).toBeCloseTo(1, 9);
  });

  it('is not changed by a disturbance of both values of a pair', () => {
    const drift = Array.from({ length: 20 }, (_, n) => 1 + n * n);
    expect(pairedRatio(drift.map((speed) => [speed * 1.1, speed]))?.ratio).toBeCloseTo(1.1, 9);
  });

  it('has an interval that contains the true ratio in about 95 of 100 runs', () => {
    const normal = normals(7);
    const holds = Array.from({ length: 2_000 }, () =>
      pairedRatio(Array.from({ length: 20 }, () => [Math.exp(0.2 * normal()), Math.exp(0.2 * normal())])),
    ).filter((it) => it !== undefined && it.low <= 1 && it.high >= 1);
    expect(holds.length).toBeGreaterThan(1_870);
    expect(holds.length).toBeLessThan(1_930);
  });

  it('is undefined for too few pairs, and skips a pair without any request', () => {
    const five = Array.from({ length: 5 }, (): [number, number] => [2, 1]);
    expect(pairedRatio(five.slice(1))).toBeUndefined();
    expect(pairedRatio([...five, [0, 1], [1, 0]])).toEqual(pairedRatio(five));
  });
});
