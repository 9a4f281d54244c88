import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCallerVerifier, createCallerSigner } from './call-identity.ts';

const [ours, next, others] = [1, 2, 3].map(() => generateKeyPairSync('ed25519'));
if (ours === undefined || next === undefined || others === undefined) throw new Error('expected three key pairs');
const signCaller = createCallerSigner(ours.privateKey);
const verifyCaller = createCallerVerifier([next.publicKey, ours.publicKey]);
const org_id = '01890000-0000-7000-8000-000000000001';
const expiry = Math.floor(Date.now() / 1_000) + 600;
const ann = { org_id, user_id: 'ann', roles: ['TEACHER'] as const, exp: expiry };
const { exp: _exp, ...identity } = ann;

describe('A signed caller', () => {
  it('is accepted if any of the current keys signed it', () => {
    expect(verifyCaller(signCaller(ann))).toEqual(identity);
    expect(verifyCaller(createCallerSigner(next.privateKey)(ann))).toEqual(identity);
    // The second time it is read from the cache.
    expect(verifyCaller(signCaller(ann))).toEqual(identity);
  });

  it('is accepted an hour after its expiry, since the clock of the service may be ahead', () => {
    expect(verifyCaller(signCaller({ ...ann, exp: expiry - 4_200 }))).toEqual(identity);
  });

  const [payload = '', signature = ''] = signCaller(ann).split('.');
  const escalated = Buffer.from(JSON.stringify({ ...ann, roles: ['SUPERVISOR'] })).toString('base64url');
  it.each([
    ['signed with another key', createCallerSigner(others.privateKey)(ann)],
    ['with another content under the same signature', `${escalated}.${signature}`],
    ['without a signature', `${payload}.`],
    ['that is empty', ''],
    ['that has expired', signCaller({ ...ann, exp: expiry - 10_000 })],
    ['without a valid organization', signCaller({ ...ann, org_id: 'x' })],
  ])('is refused if it is one %s', (_case, signed) => {
    expect(verifyCaller(signed)).toBeUndefined();
  });
});
