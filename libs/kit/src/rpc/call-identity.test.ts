import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCallerVerifier, createCallerSigner } from './call-identity.ts';

const [ours, next, others] = [1, 2, 3].map(() => generateKeyPairSync('ed25519'));
if (ours === undefined || next === undefined || others === undefined) throw new Error('three pairs of keys');
const seal = createCallerSigner(ours.privateKey);
const open = createCallerVerifier([next.publicKey, ours.publicKey]);
const org_id = '01890000-0000-7000-8000-000000000001';
const soon = Math.floor(Date.now() / 1_000) + 600;
const ann = { org_id, user_id: 'ann', roles: ['TEACHER'] as const, exp: soon };
const { exp: _exp, ...identity } = ann;

describe('a sealed caller', () => {
  it('is whom the gateway sealed, by any of the keys that are good', () => {
    expect(open(seal(ann))).toEqual(identity);
    expect(open(createCallerSigner(next.privateKey)(ann))).toEqual(identity);
    // Once more, as it is remembered.
    expect(open(seal(ann))).toEqual(identity);
  });

  const [payload = '', signature = ''] = seal(ann).split('.');
  const raised = Buffer.from(JSON.stringify({ ...ann, roles: ['SUPERVISOR'] })).toString('base64url');
  it.each([
    ['sealed by another key', createCallerSigner(others.privateKey)(ann)],
    ['with other words under the same seal', `${raised}.${signature}`],
    ['without a seal', `${payload}.`],
    ['that is nothing', ''],
    ['whose time is over', seal({ ...ann, exp: soon - 3_600 })],
    ['of no organization', seal({ ...ann, org_id: 'x' })],
  ])('%s is none', (_what, sealed) => {
    expect(open(sealed)).toBeUndefined();
  });
});
