import { describe, expect, it } from 'vitest';
import { ApiError, NoAnswerError } from './api-error.ts';
import { pauseAfter, RETRY_DEFAULTS } from './retry.ts';

const refusal = (headers: Record<string, string>): ApiError =>
  new ApiError(new Response(null, { status: 503, headers }), '{"code":"unavailable"}');
const broken = new NoAnswerError(new TypeError('fetch failed'));

describe('The pause before the next attempt', () => {
  it('doubles with each attempt, up to the maximum', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => pauseAfter(broken, tries, RETRY_DEFAULTS, 1));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('is shorter by a random part of at most half', () => {
    expect(pauseAfter(broken, 3, RETRY_DEFAULTS, 0)).toBe(200);
    expect(pauseAfter(broken, 3, RETRY_DEFAULTS, 0.5)).toBe(300);
  });

  it('is at least the Retry-After of the response, in seconds or as a date', () => {
    expect(pauseAfter(refusal({ 'retry-after': '7' }), 1, RETRY_DEFAULTS, 1)).toBe(7_100);
    const date = new Date(Date.now() + 60_000).toUTCString();
    const pause = pauseAfter(refusal({ 'retry-after': date }), 1, RETRY_DEFAULTS, 1);
    expect(pause).toBeGreaterThan(50_000);
    expect(pause).toBeLessThanOrEqual(60_100);
  });

  it('ignores an invalid Retry-After and dates in the past', () => {
    expect(pauseAfter(refusal({ 'retry-after': 'soon' }), 1, RETRY_DEFAULTS, 1)).toBe(100);
    expect(pauseAfter(refusal({ 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }), 1, RETRY_DEFAULTS, 1)).toBe(100);
  });
});
