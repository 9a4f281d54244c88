import { describe, expect, it } from 'vitest';
import { isDecimalIn, toDecimal } from './decimal.rules.ts';

const HOURS = { min: 0.01, max: 10_000, places: 2 };

describe('A typed decimal', () => {
  it.each(['', '0.01', '0,5', ' 12.25 ', '10000', '10000,00'])('accepts "%s"', (typed) => {
    expect(isDecimalIn(typed, HOURS)).toBe(true);
  });

  it.each(['0', '0,00', '10000.01', '1.234', '-1', '1e3', '1.', '.5', 'one'])('refuses "%s"', (typed) => {
    expect(isDecimalIn(typed, HOURS)).toBe(false);
  });

  it('is sent with a point', () => {
    expect(toDecimal(' 1,25 ')).toBe('1.25');
  });
});
