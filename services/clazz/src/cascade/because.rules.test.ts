import { expect, it } from 'vitest';
import { type Because, isRefusable } from './because.rules.ts';

it.each<[Because, boolean]>([
  ['roll call', true],
  ['leave decided', true],
  ['lesson changed', true],
  ['lesson cancelled', false],
  ['enrolment dated back', true],
  ['enrolment changed', false],
])('too few hours refuse what follows from a %s: %s', (because, expected) => {
  expect(isRefusable(because)).toBe(expected);
});
