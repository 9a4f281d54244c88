import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { derivedValue, type LiveValue } from './live-value.ts';

const MAC_BYTES = 12;
const NAME_BYTES = 2;

/** Bytes of a stamp: the name of its key, and a keyed check. */
export const STAMP_BYTES = NAME_BYTES + MAC_BYTES;

/** Whether a stamp is that of these bytes; `unknown` is one whose secret is not, or no longer, among ours. */
export type StampKind = 'right' | 'wrong' | 'unknown';

/**
 * Makes opaque values that callers hand back, cursors and consistency tokens, and opens them. Of several secrets the first
 * signs and all verify, so a secret is exchanged in three steps: added at the end, put first, and the old one left out.
 */
export interface Signer {
  /** A name of all secrets together, which tells nothing else of them: another one as soon as they are others. */
  readonly secrets_name: string;
  /** Base64url text that carries `value` and is only valid for the same `purpose`. */
  seal(purpose: string, value: unknown): string;
  /** The value, or `undefined` when the text is malformed, forged or of another purpose. */
  open(purpose: string, sealed: string): unknown;
  /** What shows that these bytes are ours, without carrying them; by a key of its own for each purpose. */
  stamp(purpose: string, bytes: Buffer): Buffer;
  checkStamp(purpose: string, bytes: Buffer, stamp: Buffer): StampKind;
}

const macOf = (secret: KeyObject, purpose: string, payload: Buffer): Buffer =>
  createHmac('sha256', secret).update(purpose).update('\0').update(payload).digest().subarray(0, MAC_BYTES);

/** The key of a secret for one purpose, and a name of it that tells nothing else. */
const keyOf = (secret: KeyObject, purpose: string): { key: KeyObject; name: Buffer } => {
  const key = createSecretKey(createHmac('sha256', secret).update('key\0').update(purpose).digest());
  return { key, name: createHmac('sha256', key).update('name').digest().subarray(0, NAME_BYTES) };
};

type Secrets = readonly [string, ...string[]];

/** One that goes on with other secrets when they are exchanged. */
export const liveSigner = (secrets: LiveValue<Secrets>): Signer => {
  const signer = derivedValue(secrets, (all) => createSigner(...all));
  return {
    get secrets_name() {
      return signer().secrets_name;
    },
    seal: (purpose, value) => signer().seal(purpose, value),
    open: (purpose, sealed) => signer().open(purpose, sealed),
    stamp: (purpose, bytes) => signer().stamp(purpose, bytes),
    checkStamp: (purpose, bytes, stamp) => signer().checkStamp(purpose, bytes, stamp),
  };
};

const NOTHING = Buffer.alloc(0);

/** Made once: to make a key takes longer than to sign with it. */
const asKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret));

export const createSigner = (...[one, ...others]: Secrets): Signer => {
  const first = asKey(one);
  const secrets = [first, ...others.map(asKey)];
  return {
    secrets_name: secrets.map((secret) => macOf(secret, 'name', NOTHING).toString('base64url')).join(' '),
    seal: (purpose, value) => {
      const payload = Buffer.from(JSON.stringify(value));
      return Buffer.concat([macOf(first, purpose, payload), payload]).toString('base64url');
    },
    open: (purpose, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== sealed) return undefined;
      const [mac, payload] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
      if (!secrets.some((secret) => timingSafeEqual(mac, macOf(secret, purpose, payload)))) return undefined;
      const value: unknown = JSON.parse(payload.toString());
      return value;
    },
    stamp: (purpose, bytes) => {
      const { key, name } = keyOf(first, purpose);
      return Buffer.concat([name, macOf(key, purpose, bytes)]);
    },
    checkStamp: (purpose, bytes, stamp) => {
      if (stamp.length !== STAMP_BYTES) return 'wrong';
      const [name, mac] = [stamp.subarray(0, NAME_BYTES), stamp.subarray(NAME_BYTES)];
      const keys = secrets.map((secret) => keyOf(secret, purpose)).filter((one) => one.name.equals(name));
      if (keys.length === 0) return 'unknown';
      return keys.some(({ key }) => timingSafeEqual(mac, macOf(key, purpose, bytes))) ? 'right' : 'wrong';
    },
  };
};
