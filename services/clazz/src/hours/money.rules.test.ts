import { fromHundredths, shareOf, toHundredths } from '@teaching/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { worthBetween, worthOf } from './money.rules.ts';

describe('hours as hundredths', () => {
  it.each([
    ['0.00', 0],
    ['1.50', 150],
    ['-0.75', -75],
    ['-12.05', -1_205],
    ['999999.99', 99_999_999],
  ])('%s is %i', (decimal, hundredths) => {
    expect(toHundredths(decimal)).toBe(hundredths);
    expect(fromHundredths(hundredths)).toBe(decimal);
  });

  it.each([
    ['a whole share', 150, 100, 150],
    ['half of 1.33, rounded half up', 133, 50, 67],
    ['a third of 0.01', 1, 33, 0],
    ['half of 0.01', 1, 50, 1],
    ['nothing', 150, 0, 0],
  ])('%s', (_what, hours, share, expected) => {
    expect(shareOf(hours, share)).toBe(expected);
  });
});

describe('what hours of a lot are worth', () => {
  it.each([
    ['all of it', 100_000, 2_000, 2_000, 100_000],
    ['a part that divides evenly', 100_000, 2_000, 1_300, 65_000],
    ['a third, rounded down', 100, 300, 100, 33],
    ['two thirds, rounded up', 100, 300, 200, 67],
    ['exactly half a minor unit, rounded up', 1, 200, 100, 1],
    ['more than fits a float', 999_999_999_999, 100_000_000, 99_999_999, 999_999_989_999],
  ])('%s', (_what, price_minor, granted, hours, expected) => {
    expect(worthOf({ price_minor, granted }, hours).amount_minor).toBe(expected);
  });

  it('shows the division with its remainder', () => {
    expect(worthOf({ price_minor: 1_000, granted: 300 }, 200).working).toBe(
      '1000 × 2.00 ÷ 3.00 = 666 remainder 2.00 → 667',
    );
    expect(worthOf({ price_minor: 1_000, granted: 200 }, 100).working).toBe('1000 × 1.00 ÷ 2.00 = 500 → 500');
  });

  it('in parts, however cut, is never more or less than the whole', () => {
    const lots = fc.record({
      price_minor: fc.nat(1_000_000),
      cuts: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(lots, ({ price_minor, cuts }) => {
        const granted = cuts.reduce((a, b) => a + b);
        let left = granted;
        const parts = cuts.map((cut) => worthBetween({ price_minor, granted }, left, (left -= cut)));
        expect(parts.reduce((a, b) => a + b)).toBe(price_minor);
      }),
    );
  });
});
