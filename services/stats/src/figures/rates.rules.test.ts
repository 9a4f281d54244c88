import { describe, expect, it } from 'vitest';
import { attendanceOf } from './rates.rules.ts';

describe('The attendance rate', () => {
  it.each([
    ['is null without seats', { present: 0, late: 0, absent: 0, unmarked: 0 }, 0, 0, null, null],
    ['counts a late student as present', { present: 2, late: 1, absent: 1, unmarked: 0 }, 3, 4, 0.75, 0.75],
    [
      'is 0 if all were absent, and one unmarked seat can still raise it',
      { present: 0, late: 0, absent: 3, unmarked: 1 },
      0,
      3,
      0,
      0.25,
    ],
    [
      'is null with unmarked seats only, and can still become 1',
      { present: 0, late: 0, absent: 0, unmarked: 5 },
      0,
      0,
      null,
      1,
    ],
  ])('%s', (_name, seats, numerator, denominator, rate, still_attainable_rate) => {
    const still_attainable_numerator = numerator + seats.unmarked;
    const still_attainable_denominator = denominator + seats.unmarked;
    const rates = { numerator, denominator, rate, still_attainable_rate };
    expect(attendanceOf(seats)).toEqual({ ...rates, still_attainable_numerator, still_attainable_denominator });
  });
});
