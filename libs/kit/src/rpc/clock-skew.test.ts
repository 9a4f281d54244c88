import { describe, expect, it } from 'vitest';
import { largestSkews, leastSkew, reportedSkews } from './clock-skew.ts';

describe('The skew of a clock', () => {
  it.each([
    ['between question and answer', 1_050, 0],
    ['before the question', 900, -100],
    ['after the answer', 1_400, 300],
  ])('is the least that explains a time %s', (_case, at, skew_ms) => {
    expect(leastSkew(at, 1_000, 1_100)).toBe(skew_ms);
  });

  it('of a service is that of its instance with the largest one', () => {
    const skews = [
      { part: 'clazz', skew_ms: 40 },
      { part: 'clazz', skew_ms: -20_000 },
      { part: 'postgres', skew_ms: 3 },
    ];
    expect(Object.fromEntries(largestSkews(skews))).toEqual({ clazz: -20, postgres: 0.003 });
  });

  it('is reported above two seconds, in either direction', () => {
    const skews = [
      { part: 'clazz', skew_ms: -2_040 },
      { part: 'course', skew_ms: 2_000 },
      { part: 'postgres', skew_ms: 3_600_004 },
    ];
    expect(reportedSkews(skews)).toEqual([
      { part: 'clazz', skew_s: -2 },
      { part: 'postgres', skew_s: 3_600 },
    ]);
  });
});
