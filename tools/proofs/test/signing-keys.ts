import { generateKeyPairSync } from 'node:crypto';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** A key pair in the form of the configuration: the private half signs callers, the public half verifies them. */
export const SIGN_CALLER = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
export const VERIFY_CALLER = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
