import { randomBytes } from 'node:crypto';
import { type Signer, type StampKind, STAMP_BYTES } from './signer.ts';

/**
 * Secrets in addresses that speak for a person: the org's id, so that the tenant is known before anything is looked up, 24
 * random bytes, and a stamp, by which a guess is told from a secret without looking anything up. Those of before the
 * stamp have none, and stay valid.
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

/** The org a secret names, or `undefined` when the text cannot be a secret. */
export const orgOfSecretLink = (secret: string): string | undefined =>
  bytesOf(secret)
    ?.toString('hex', 0, ORG_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Whether a text is a secret of ours, a guess, or one that only a look-up can tell: `unknown`. */
export const kindOfSecretLink = (signer: Signer, secret: string): StampKind => {
  const bytes = bytesOf(secret);
  if (bytes === undefined) return 'wrong';
  if (bytes.length === BARE_BYTES) return 'unknown';
  return signer.checkStamp(PURPOSE, bytes.subarray(0, BARE_BYTES), bytes.subarray(BARE_BYTES));
};
