import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { kindOfSecretLink, makeSecretLink, orgOfSecretLink } from './secret-link.ts';
import { createSigner } from './signer.ts';

const ORG = '0197aaaa-bbbb-7ccc-8ddd-eeeeffff0000';
const [OLD, NEW] = [
  'an old secret of at least thirty-two characters',
  'a new secret of at least thirty-two characters',
];
const signer = createSigner(OLD);
const secret = makeSecretLink(signer, ORG);
const bytes = Buffer.from(secret, 'base64url');
/** A secret as it was created before stamps were introduced. */
const bare = bytes.subarray(0, 40).toString('base64url');

/** The secret with one byte changed. */
const changedAt = (at: number): string => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy.toString('base64url');
};

describe('A secret in an address', () => {
  it('contains the org, differs each time, and is recognized by its stamp', () => {
    expect(orgOfSecretLink(secret)).toBe(ORG);
    expect(makeSecretLink(signer, ORG)).not.toBe(secret);
    expect(kindOfSecretLink(signer, secret)).toBe('right');
  });

  it.each([0, 15, 16, 39, 42, 53])('counts as wrong when byte %i was changed', (at) => {
    expect(kindOfSecretLink(signer, changedAt(at))).toBe('wrong');
  });

  it.each(['', 'short', 'guess', `${secret}A`, secret.slice(1), `${secret}=`, `${bare}A`, `${bare}=`])(
    'cannot be %j',
    (text) => {
      expect([orgOfSecretLink(text), kindOfSecretLink(signer, text)]).toEqual([undefined, 'wrong']);
    },
  );

  it('must be looked up if it has no stamp, or if its signing secret was removed', () => {
    expect([orgOfSecretLink(bare), kindOfSecretLink(signer, bare)]).toEqual([ORG, 'unknown']);
    expect(kindOfSecretLink(createSigner(NEW), secret)).toBe('unknown');
    expect(kindOfSecretLink(createSigner(NEW, OLD), secret)).toBe('right');
    expect(kindOfSecretLink(createSigner(NEW, OLD), changedAt(20))).toBe('wrong');
  });

  it('cannot be forged from other sealed values', () => {
    const payload = randomBytes(40);
    const sealed = Buffer.from(signer.seal('secret link', payload.toString('hex')), 'base64url').subarray(0, 12);
    const forged = Buffer.concat([payload, bytes.subarray(40, 42), sealed]).toString('base64url');
    expect(kindOfSecretLink(signer, forged)).toBe('wrong');
  });
});
