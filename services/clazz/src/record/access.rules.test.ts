import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { requireOpen } from './access.rules.ts';

describe('A class', () => {
  it.each([
    ['draft', 'fine'],
    ['active', 'fine'],
    ['completed', 'clazz_closed'],
    ['cancelled', 'clazz_closed'],
  ] as const)('that is %s, when its people or schedule change: %s', (status, expected) => {
    expect(refusalOf(() => requireOpen({ status }))).toBe(expected);
  });
});
