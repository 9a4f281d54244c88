import { generateKeyPairSync } from 'node:crypto';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** A pair of keys as configuration has them: what seals callers, and what opens them. */
export const SIGN_CALLER = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
export const VERIFY_CALLER = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
