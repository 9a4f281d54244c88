import { describe, expect, it } from 'vitest';
import { createSigner } from './signer.ts';

const signer = createSigner('a secret of at least thirty-two characters');
const sealed = signer.seal('cursor', ['x', 1, null]);

describe('Opening a sealed value', () => {
  it('returns the value for the purpose that it was sealed for', () => {
    expect(signer.open('cursor', sealed)).toEqual(['x', 1, null]);
  });

  it.each([
    ['of another purpose', 'token', sealed],
    ['of another secret', 'cursor', createSigner('another secret of thirty-two characters').seal('cursor', 1)],
    ['with a changed end', 'cursor', `${sealed.slice(0, -2)}AA`],
    ['with something added', 'cursor', `${sealed}A`],
    ['with other characters', 'cursor', `${sealed.slice(0, -1)}*`],
    ['cut to its signature', 'cursor', sealed.slice(0, 16)],
    ['that is empty', 'cursor', ''],
  ])('refuses a value %s', (_case, purpose, text) => {
    expect(signer.open(purpose, text)).toBeUndefined();
  });
});

describe('A signer with several secrets', () => {
  const [old, next] = [
    'an old secret of at least thirty-two characters',
    'a new secret of at least thirty-two characters',
  ];
  const [before, both, turned, after] = [
    createSigner(old),
    createSigner(old, next),
    createSigner(next, old),
    createSigner(next),
  ];

  it('gets a new fingerprint when a secret is added, moved or removed', () => {
    const names = [before, both, turned, after].map((one) => one.secrets_fingerprint);
    expect(new Set(names).size).toBe(4);
    expect(createSigner(old, next).secrets_fingerprint).toBe(both.secrets_fingerprint);
  });

  it('verifies with all secrets and signs with the first', () => {
    for (const one of [before, both]) {
      const value = one.seal('cursor', 7);
      expect([before, both, turned].map((other) => other.open('cursor', value))).toEqual([7, 7, 7]);
      expect(after.open('cursor', value)).toBeUndefined();
    }
    for (const one of [turned, after]) {
      const value = one.seal('cursor', 7);
      expect([both, turned, after].map((other) => other.open('cursor', value))).toEqual([7, 7, 7]);
      expect(before.open('cursor', value)).toBeUndefined();
    }
  });
});
