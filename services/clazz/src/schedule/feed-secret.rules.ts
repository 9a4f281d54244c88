import { createHash } from 'node:crypto';

const ORG_BYTES = 16;
const RANDOM_BYTES = 24;

/**
 * The secret of a feed: the org's id, so that the tenant is known before anything is looked up, and 24
 * random bytes.
 */
export const makeSecret = (org_id: string, random: Buffer): string => {
  if (random.length !== RANDOM_BYTES) throw new Error(`a feed secret has ${RANDOM_BYTES} random bytes`);
  return Buffer.concat([Buffer.from(org_id.replaceAll('-', ''), 'hex'), random]).toString('base64url');
};

/** The org a secret names, or `undefined` when the text cannot be a secret. */
export const orgOf = (secret: string): string | undefined => {
  const bytes = Buffer.from(secret, 'base64url');
  if (bytes.length !== ORG_BYTES + RANDOM_BYTES || bytes.toString('base64url') !== secret) return undefined;
  return bytes.toString('hex', 0, ORG_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** What is kept of a secret. It is random, so a plain hash cannot be reversed by guessing. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
