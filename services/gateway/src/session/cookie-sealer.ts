import { hkdfSync } from 'node:crypto';
import { derived, type Live } from '@teaching/kit';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { CookieKind } from './cookies.ts';

const ALG = 'dir';
const ENC = 'A256GCM';
const KEY_BYTES = 32;

type Keys = readonly Readonly<Record<CookieKind, Uint8Array>>[];

/** A key for each purpose, so that a cookie of one is none of another (RFC 5869). */
const keysOf = (secrets: readonly string[]): Keys =>
  secrets.map((secret) => {
    const keyOf = (kind: CookieKind): Uint8Array =>
      new Uint8Array(hkdfSync('sha256', secret, '', `teaching cookie ${kind}`, KEY_BYTES));
    return { session: keyOf('session'), renewal: keyOf('renewal'), login: keyOf('login') };
  });

/** Encrypts what a browser keeps for us, and reads it again. */
export interface CookieSealer {
  /** JSON under the first secret, as a compact JWE (RFC 7516). */
  seal(kind: CookieKind, value: object): Promise<string>;
  /** What was sealed under any of the secrets; `undefined` for everything else. */
  open(kind: CookieKind, text: string): Promise<unknown>;
  /** The same as long as the secrets are: what was opened before is not to be trusted under others. */
  current: Live<unknown>;
}

export const createCookieSealer = (secrets: Live<readonly string[]>): CookieSealer => {
  const keys = derived(secrets, keysOf);
  return {
    seal: async (kind, value) => {
      const [first] = keys();
      if (first === undefined) throw new Error('there is no secret to encrypt cookies by');
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      return new CompactEncrypt(bytes).setProtectedHeader({ alg: ALG, enc: ENC }).encrypt(first[kind]);
    },
    open: async (kind, text) => {
      for (const key of keys()) {
        try {
          const only = { keyManagementAlgorithms: [ALG], contentEncryptionAlgorithms: [ENC] };
          const { plaintext } = await compactDecrypt(text, key[kind], only);
          const value: unknown = JSON.parse(new TextDecoder().decode(plaintext));
          return value;
        } catch {
          // Under another secret, or not ours.
        }
      }
      return undefined;
    },
    current: keys,
  };
};
