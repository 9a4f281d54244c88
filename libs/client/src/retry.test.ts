import { describe, expect, it } from 'vitest';
import { ApiError, NoAnswerError } from './api-error.ts';
import { pauseAfter, RETRY_DEFAULTS } from './retry.ts';

const refusal = (headers: Record<string, string>): ApiError =>
  new ApiError(new Response(null, { status: 503, headers }), '{"code":"unavailable"}');
const broken = new NoAnswerError(new TypeError('fetch failed'));

describe('the pause before the next try', () => {
  it('is twice as long each time, up to a longest one', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => pauseAfter(broken, tries, RETRY_DEFAULTS, 1));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('is shorter by chance, by half at most', () => {
    expect(pauseAfter(broken, 3, RETRY_DEFAULTS, 0)).toBe(200);
    expect(pauseAfter(broken, 3, RETRY_DEFAULTS, 0.5)).toBe(300);
  });

  it('is not shorter than the answer asks for, in seconds or by a date', () => {
    expect(pauseAfter(refusal({ 'retry-after': '7' }), 1, RETRY_DEFAULTS, 1)).toBe(7_100);
    const date = new Date(Date.now() + 60_000).toUTCString();
    const pause = pauseAfter(refusal({ 'retry-after': date }), 1, RETRY_DEFAULTS, 1);
    expect(pause).toBeGreaterThan(50_000);
    expect(pause).toBeLessThanOrEqual(60_100);
  });

  it('passes over what cannot be read, and dates that are gone', () => {
    expect(pauseAfter(refusal({ 'retry-after': 'soon' }), 1, RETRY_DEFAULTS, 1)).toBe(100);
    expect(pauseAfter(refusal({ 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }), 1, RETRY_DEFAULTS, 1)).toBe(100);
  });
});
