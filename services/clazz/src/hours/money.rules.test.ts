import { fromHundredths, shareOf, toHundredths } from '@teaching/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { worthBetween, worthOf } from './money.rules.ts';

describe('Hours in hundredths', () => {
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
    ['a share of 1 is the whole', 150, 100, 150],
    ['half of 1.33 is rounded half up', 133, 50, 67],
    ['a third of 0.01 is rounded to zero', 1, 33, 0],
    ['half of 0.01 is rounded up', 1, 50, 1],
    ['a share of 0 is zero', 150, 0, 0],
  ])('%s', (_what, hours, share, expected) => {
    expect(shareOf(hours, share)).toBe(expected);
  });
});

describe('The worth of hours of a lot', () => {
  it.each([
    ['is the price for all hours', 100_000, 2_000, 2_000, 100_000],
    ['is exact for an even division', 100_000, 2_000, 1_300, 65_000],
    ['is rounded down for a third', 100, 300, 100, 33],
    ['is rounded up for two thirds', 100, 300, 200, 67],
    ['is rounded up for exactly half a minor unit', 1, 200, 100, 1],
    ['is exact for products above 2^53', 999_999_999_999, 100_000_000, 99_999_999, 999_999_989_999],
  ])('%s', (_what, price_minor, granted, hours, expected) => {
    expect(worthOf({ price_minor, granted }, hours).amount_minor).toBe(expected);
  });

  it('shows the division with its remainder', () => {
    expect(worthOf({ price_minor: 1_000, granted: 300 }, 200).working).toBe(
      '1000 × 2.00 ÷ 3.00 = 666 remainder 2.00 → 667',
    );
    expect(worthOf({ price_minor: 1_000, granted: 200 }, 100).working).toBe('1000 × 1.00 ÷ 2.00 = 500 → 500');
  });

  it('of all parts together is the price of the whole lot', () => {
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
