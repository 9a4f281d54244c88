import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { join } from 'node:path';
import { createSigner } from 'fast-jwt';
import { readOrMake, writeWhole } from './file.ts';
import type { Role } from '@teaching/contracts';

/** A name that never resolves (RFC 2606), so that a local token cannot be mistaken for a real one. */
export const ISSUER = 'https://local.teaching.invalid';
export const AUDIENCE = 'teaching-api';

export type Keys = { privatePem: string; keyId: string; jwksFile: string };

const newPrivateKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** RFC 7638: the required members of the key in alphabetical order, hashed. */
const thumbprint = ({ crv, kty, x, y }: JsonWebKey): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

const publicJwk = (key: KeyObject): JsonWebKey => createPublicKey(key).export({ format: 'jwk' });

/** The key pair of the local token issuer, created at the first call. */
export const keysIn = (dataDir: string): Keys => {
  const privatePem = readOrMake(join(dataDir, 'jwt-private.pem'), newPrivateKey);
  const jwk = publicJwk(createPrivateKey(privatePem));
  const keyId = thumbprint(jwk);
  const jwksFile = join(dataDir, 'jwks.json');
  const jwks = { keys: [{ ...jwk, kid: keyId, alg: 'ES256', use: 'sig' }] };
  writeWhole(jwksFile, JSON.stringify(jwks, null, 2), 0o644);
  return { privatePem, keyId, jwksFile };
};

export type TokenRequest = {
  org: string;
  sub: string;
  roles: readonly Role[];
  ttlSeconds: number;
  /** For how long the token exists already, in seconds; default 0. */
  ageSeconds?: number;
  issuer?: string;
  audience?: string;
};

/** A bearer token that the gateway of this data folder accepts. */
export const issueToken = (
  keys: Keys,
  { org, sub, roles, ttlSeconds, ageSeconds = 0, issuer = ISSUER, audience = AUDIENCE }: TokenRequest,
): string => {
  const now = Math.floor(Date.now() / 1000);
  return createSigner({
    algorithm: 'ES256',
    key: keys.privatePem,
    kid: keys.keyId,
    iss: issuer,
    aud: audience,
  })({ sub, org_id: org, roles, iat: now - ageSeconds, exp: now + ttlSeconds });
};
