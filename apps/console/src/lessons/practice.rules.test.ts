import { expect, it } from 'vitest';
import { canAttempt, answeredOf } from './practice.rules.ts';

it('a practice takes attempts while it is open and one is left', () => {
  const closes_at = '2026-11-24T00:00:00.000Z';
  const before = Date.parse('2026-11-23T00:00:00.000Z');
  expect(canAttempt({ closes_at: null, max_attempts: null }, 50, before)).toBe(true);
  expect(canAttempt({ closes_at, max_attempts: 2 }, 1, before)).toBe(true);
  expect(canAttempt({ closes_at, max_attempts: 2 }, 2, before)).toBe(false);
  expect(canAttempt({ closes_at, max_attempts: null }, 0, Date.parse(closes_at))).toBe(false);
});

it('an answer without content is none, but false is one', () => {
  expect(answeredOf({ a: '', b: [], c: false, d: 'x', e: ['y'] })).toEqual({ c: false, d: 'x', e: ['y'] });
});
