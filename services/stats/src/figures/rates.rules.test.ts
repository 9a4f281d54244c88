import { describe, expect, it } from 'vitest';
import { attendanceOf } from './rates.rules.ts';

describe('attendance', () => {
  it.each([
    ['nothing yet', { present: 0, late: 0, absent: 0, unmarked: 0 }, 0, 0, null, null],
    ['late counts as there', { present: 2, late: 1, absent: 1, unmarked: 0 }, 3, 4, 0.75, 0.75],
    ['all absent, one lesson left', { present: 0, late: 0, absent: 3, unmarked: 1 }, 0, 3, 0, 0.25],
    ['only future lessons', { present: 0, late: 0, absent: 0, unmarked: 5 }, 0, 0, null, 1],
  ])('%s', (_name, seats, numerator, denominator, rate, still_attainable_rate) => {
    const still_attainable_numerator = numerator + seats.unmarked;
    const still_attainable_denominator = denominator + seats.unmarked;
    const rates = { numerator, denominator, rate, still_attainable_rate };
    expect(attendanceOf(seats)).toEqual({ ...rates, still_attainable_numerator, still_attainable_denominator });
  });
});
