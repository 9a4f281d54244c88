import { describe, expect, it } from 'vitest';
import { meanOf, medianOf, studentsWithoutAttempt } from './overview.rules.ts';

describe('Scores', () => {
  it.each([
    [[], null, null],
    [['3.00'], '3.00', '3.00'],
    [['0.00', '0.01'], '0.01', '0.01'],
    [['1.00', '0.00', '0.00'], '0.33', '0.00'],
    [['10.00', '9.00', '0.50', '1.00'], '5.13', '5.00'],
    [['2.00', '10.00', '9.00'], '7.00', '9.00'],
  ])('%j have the mean %s and the median %s', (scores, mean, median) => {
    expect([meanOf(scores), medianOf(scores)]).toEqual([mean, median]);
  });
});

it('missing students are the assigned ones without an attempt', () => {
  expect(studentsWithoutAttempt(['ann', 'bob', 'cy'], [{ student_id: 'bob' }, { student_id: 'gone' }])).toEqual([
    'ann',
    'cy',
  ]);
});
