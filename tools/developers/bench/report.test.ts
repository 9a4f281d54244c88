import { expect, it } from 'vitest';
import { noResults, report } from './report.ts';

const costs = [
  { size: 'x1', cpuUs: 310, p50: 0.5 },
  { size: 'x100', cpuUs: 1_320, p50: 0.625 },
];
const growth = (factor: { ratio: number; low: number; high: number } | undefined): string =>
  report({ ...noResults(), growth: [{ operation: 'w1', dimension: 'schools', costs, factor }] });

it('tells what an operation costs at each size', () => {
  const text = growth({ ratio: 4.26, low: 4, high: 4.5 });
  expect(text).toMatch(/w1 +schools +x1: 310 us, 0\.50 ms +x100: 1,320 us, 0\.63 ms +4\.260 \[4\.000, 4\.500\]/);
});

it.each([
  ['little, and certainly so', { ratio: 1.05, low: 0.98, high: 1.12 }, true],
  ['a little more', { ratio: 1.15, low: 1.12, high: 1.18 }, false],
  ['perhaps little, perhaps much', { ratio: 1.2, low: 0.7, high: 2.1 }, false],
  ['nobody knows', undefined, false],
])('calls flat what grows by %s', (_what, factor, isFlat) => {
  expect(growth(factor).includes('flat: 1')).toBe(isFlat);
});

it('has nothing to say of nothing', () => {
  expect(report(noResults())).toBe('');
});
