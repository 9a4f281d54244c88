import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { requireOpen } from './access.rules.ts';

describe('a class', () => {
  it.each([
    ['draft', 'fine'],
    ['active', 'fine'],
    ['completed', 'clazz_closed'],
    ['cancelled', 'clazz_closed'],
  ] as const)('accepts changes of people and schedule while %s: %s', (status, expected) => {
    expect(refusalOf(() => requireOpen({ status }))).toBe(expected);
  });
});
