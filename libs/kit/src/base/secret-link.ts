import { randomBytes } from 'node:crypto';
import { type Signer, type StampKind, STAMP_BYTES } from './signer.ts';

/**
 * Secrets in addresses that give a person access: the org's id, so the tenant is known before a look-up; 24 random
 * bytes; and a stamp that tells a guess from a secret without a look-up. Secrets created before stamps were introduced
 * have none and stay valid.
 */
const ORG_BYTES = 16;
const RANDOM_BYTES = 24;
const BARE_BYTES = ORG_BYTES + RANDOM_BYTES;
const PURPOSE = 'secret link';

const bytesOf = (secret: string): Buffer | undefined => {
  const bytes = Buffer.from(secret, 'base64url');
  const isWhole = bytes.length === BARE_BYTES || bytes.length === BARE_BYTES + STAMP_BYTES;
  return isWhole && bytes.toString('base64url') === secret ? bytes : undefined;
};

export const makeSecretLink = (signer: Signer, org_id: string): string => {
  const bare = Buffer.concat([Buffer.from(org_id.replaceAll('-', ''), 'hex'), randomBytes(RANDOM_BYTES)]);
  return Buffer.concat([bare, signer.stamp(PURPOSE, bare)]).toString('base64url');
};

/** The org that a secret names, or `undefined` if the text cannot be a secret. */
export const orgOfSecretLink = (secret: string): string | undefined =>
  bytesOf(secret)
    ?.toString('hex', 0, ORG_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Whether a text is a valid secret (`right`), a guess (`wrong`), or a text that only a look-up can decide (`unknown`).
 */
export const kindOfSecretLink = (signer: Signer, secret: string): StampKind => {
  const bytes = bytesOf(secret);
  if (bytes === undefined) return 'wrong';
  if (bytes.length === BARE_BYTES) return 'unknown';
  return signer.checkStamp(PURPOSE, bytes.subarray(0, BARE_BYTES), bytes.subarray(BARE_BYTES));
};
