import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { readJson } from './json.ts';
import { derivedValue, type LiveValue } from './live-value.ts';

const MAC_BYTES = 12;
const NAME_BYTES = 2;

/** Length of a stamp in bytes: the name of its key, and a keyed check. */
export const STAMP_BYTES = NAME_BYTES + MAC_BYTES;

/** Whether a stamp belongs to these bytes. `unknown`: its signing secret is not configured, or no longer. */
export type StampKind = 'right' | 'wrong' | 'unknown';

/**
 * Creates and opens opaque values that callers hand back, such as cursors and consistency tokens. Of several secrets
 * the first signs and all verify. So a secret is exchanged in three steps: add the new one at the end, move it to the
 * front, remove the old one.
 */
export interface Signer {
  /** A fingerprint of all secrets that reveals nothing else. It changes whenever the secrets or their order change. */
  readonly secrets_fingerprint: string;
  /** Base64url text that carries `value` and is only valid for the same `purpose`. */
  seal(purpose: string, value: unknown): string;
  /** The value, or `undefined` if the text is malformed, forged or sealed for another purpose. */
  open(purpose: string, sealed: string): unknown;
  /** The value of a text that may be forged, or `undefined` if the text is malformed. */
  openUnverified(sealed: string): unknown;
  /** A proof that this signer produced these bytes, without the bytes themselves. Each purpose has its own key. */
  stamp(purpose: string, bytes: Buffer): Buffer;
  checkStamp(purpose: string, bytes: Buffer, stamp: Buffer): StampKind;
}

const macOf = (secret: KeyObject, purpose: string, payload: Buffer): Buffer =>
  createHmac('sha256', secret).update(purpose).update('\0').update(payload).digest().subarray(0, MAC_BYTES);

/** The key of a secret for one purpose, and a name of the key that reveals nothing else. */
const keyOf = (secret: KeyObject, purpose: string): { key: KeyObject; name: Buffer } => {
  const key = createSecretKey(createHmac('sha256', secret).update('key\0').update(purpose).digest());
  return { key, name: createHmac('sha256', key).update('name').digest().subarray(0, NAME_BYTES) };
};

type Secrets = readonly [string, ...string[]];

/** A signer that uses the new secrets as soon as they are exchanged. */
export const liveSigner = (secrets: LiveValue<Secrets>): Signer => {
  const signer = derivedValue(secrets, (all) => createSigner(...all));
  return {
    get secrets_fingerprint() {
      return signer().secrets_fingerprint;
    },
    seal: (purpose, value) => signer().seal(purpose, value),
    open: (purpose, sealed) => signer().open(purpose, sealed),
    openUnverified: (sealed) => signer().openUnverified(sealed),
    stamp: (purpose, bytes) => signer().stamp(purpose, bytes),
    checkStamp: (purpose, bytes, stamp) => signer().checkStamp(purpose, bytes, stamp),
  };
};

const NOTHING = Buffer.alloc(0);

/** The check and the content of a sealed text. Undefined if the text is malformed. */
const partsOf = (sealed: string): { mac: Buffer; payload: Buffer } | undefined => {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== sealed) return undefined;
  return { mac: bytes.subarray(0, MAC_BYTES), payload: bytes.subarray(MAC_BYTES) };
};

/** Created once: creating a key takes longer than signing with it. */
const asKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret));

export const createSigner = (...[one, ...others]: Secrets): Signer => {
  const first = asKey(one);
  const secrets = [first, ...others.map(asKey)];
  return {
    secrets_fingerprint: secrets.map((secret) => macOf(secret, 'name', NOTHING).toString('base64url')).join(' '),
    seal: (purpose, value) => {
      const payload = Buffer.from(JSON.stringify(value));
      return Buffer.concat([macOf(first, purpose, payload), payload]).toString('base64url');
    },
    open: (purpose, sealed) => {
      const { mac, payload } = partsOf(sealed) ?? {};
      if (mac === undefined || payload === undefined) return undefined;
      if (!secrets.some((secret) => timingSafeEqual(mac, macOf(secret, purpose, payload)))) return undefined;
      const value: unknown = JSON.parse(payload.toString());
      return value;
    },
    openUnverified: (sealed) => {
      const { payload } = partsOf(sealed) ?? {};
      return payload && readJson(payload);
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
