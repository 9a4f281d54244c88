import { expect, it } from 'vitest';
import { canAttempt, answeredOf } from './practice.rules.ts';

it('accepts an attempt while the practice is open and an attempt is left', () => {
  const closes_at = '2026-11-24T00:00:00.000Z';
  const before = Date.parse('2026-11-23T00:00:00.000Z');
  expect(canAttempt({ closes_at: null, max_attempts: null }, 50, before)).toBe(true);
  expect(canAttempt({ closes_at, max_attempts: 2 }, 1, before)).toBe(true);
  expect(canAttempt({ closes_at, max_attempts: 2 }, 2, before)).toBe(false);
  expect(canAttempt({ closes_at, max_attempts: null }, 0, Date.parse(closes_at))).toBe(false);
});

it('drops answers without content or without their question, and keeps `false`', () => {
  const questions = ['a', 'b', 'blank', 'c', 'd', 'e'].map((id) => ({ id }));
  const answers = { a: '', b: [], blank: ' \n', c: false, d: 'x', e: ['y'], removed: 'z' };
  expect(answeredOf(answers, questions)).toEqual({ c: false, d: 'x', e: ['y'] });
});
