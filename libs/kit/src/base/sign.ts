import { createHmac, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 12;

/** Makes and opens opaque values that callers hand back: cursors and consistency tokens. */
export interface Signer {
  /** Base64url text that carries `value` and is only valid for the same `purpose`. */
  seal(purpose: string, value: unknown): string;
  /** The value, or `undefined` when the text is malformed, forged or of another purpose. */
  open(purpose: string, sealed: string): unknown;
}

export const createSigner = (secret: string): Signer => {
  const mac = (purpose: string, payload: Buffer): Buffer =>
    createHmac('sha256', secret).update(purpose).update('\0').update(payload).digest().subarray(0, MAC_BYTES);
  return {
    seal: (purpose, value) => {
      const payload = Buffer.from(JSON.stringify(value));
      return Buffer.concat([mac(purpose, payload), payload]).toString('base64url');
    },
    open: (purpose, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== sealed) return undefined;
      const payload = bytes.subarray(MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(purpose, payload))) return undefined;
      const value: unknown = JSON.parse(payload.toString());
      return value;
    },
  };
};
