import { describe, expect, it } from 'vitest';
import { attendanceOf } from './attendance.rules.ts';

describe('attendance', () => {
  it.each([
    ['nothing yet', { present: 0, late: 0, absent: 0, unmarked: 0 }, 0, 0, null, null],
    ['late counts as there', { present: 2, late: 1, absent: 1, unmarked: 0 }, 3, 4, 0.75, 0.75],
    ['all absent, one lesson left', { present: 0, late: 0, absent: 3, unmarked: 1 }, 0, 3, 0, 0.25],
    ['only future lessons', { present: 0, late: 0, absent: 0, unmarked: 5 }, 0, 0, null, 1],
  ])('%s', (_name, seats, numerator, denominator, rate, still_attainable_rate) => {
    expect(attendanceOf(seats)).toEqual({ numerator, denominator, rate, still_attainable_rate });
  });
});
