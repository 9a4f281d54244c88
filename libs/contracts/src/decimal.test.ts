import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromHundredths, shareOf, sumOf, toHundredths } from './decimal.ts';
import { Decimal } from './scalars.ts';

const hundredths = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 });

it('converts between hundredths and decimals in both directions, including negative values', () => {
  fc.assert(
    fc.property(hundredths, (n) => {
      const text = fromHundredths(n);
      expect(Decimal.safeParse(text).success).toBe(true);
      expect(toHundredths(text)).toBe(n);
      expect(Number(text)).toBeCloseTo(n / 100, 6);
    }),
  );
  expect([fromHundredths(-5), fromHundredths(-150), fromHundredths(0)]).toEqual(['-0.05', '-1.50', '0.00']);
});

it('sums decimals exactly in any order', () => {
  fc.assert(
    fc.property(fc.array(hundredths, { maxLength: 50 }), (list) => {
      const sum = list.reduce((total, one) => total + one, 0);
      expect(sumOf(list.map(fromHundredths))).toBe(fromHundredths(sum));
      expect(sumOf(list.toReversed().map(fromHundredths))).toBe(fromHundredths(sum));
    }),
  );
  expect(sumOf(['0.10', '0.20', '-0.30'])).toBe('0.00');
});

it('rounds a share half up to a hundredth', () => {
  expect([shareOf(100, 50), shareOf(1, 50), shareOf(333, 33), shareOf(150, 100)]).toEqual([50, 1, 110, 150]);
});
