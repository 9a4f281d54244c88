import { hkdfSync } from 'node:crypto';
import { derivedValue, type LiveValue } from '@teaching/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compactDecrypt, CompactEncrypt } from 'jose';

/** The purpose of a cookie: the session, its renewal, or a login in progress. */
export type CookieKind = 'session' | 'renewal' | 'login';

/** Characters of one cookie value: browsers accept 4,096 bytes including the name. */
const PIECE = 3_800;
/** Greatest number of cookies that a longer text is split into. */
const MOST_PIECES = 2;
/**
 * Longest text of one kind, in characters. Every request sends all cookies in one header line, and many servers in
 * front of a gateway accept 8 kB.
 */
export const LONGEST_COOKIE = 5_000;

export interface Cookies {
  /** The text that the browser sent; `undefined` when it has none of this kind. */
  read(request: FastifyRequest, kind: CookieKind): string | undefined;
  /** Stores at most `LONGEST_COOKIE` characters in the browser for `max_age_s` seconds. */
  write(request: FastifyRequest, reply: FastifyReply, kind: CookieKind, text: string, max_age_s: number): void;
  clear(request: FastifyRequest, reply: FastifyReply, kind: CookieKind): void;
}

/** The value of a cookie that the browser sent; our values need no decoding. */
const valueIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(/; ?/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * Cookies that scripts cannot read and that other sites send only with a navigation. Over https the name prefix makes
 * browsers refuse such a cookie from a page over http or from another host of the same domain (RFC 6265bis §4.1.3.2).
 * The prefix requires `Secure` and the path `/`, so the browser sends them with every request.
 */
export const createCookies = (isSecure: boolean): Cookies => {
  const nameOf = (kind: CookieKind, piece: number): string =>
    `${isSecure ? '__Host-' : ''}teaching-${kind}${piece === 0 ? '' : `.${piece}`}`;
  const send = (reply: FastifyReply, kind: CookieKind, piece: number, text: string, maxAge: number): void => {
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure, maxAge } as const;
    void reply.setCookie(nameOf(kind, piece), text, attributes);
  };
  /** Deletes the pieces from this one on that the browser has. */
  const clearFrom = (request: FastifyRequest, reply: FastifyReply, kind: CookieKind, from: number): void => {
    const { cookie } = request.headers;
    for (let piece = from; piece < MOST_PIECES; piece += 1)
      if (piece === 0 || valueIn(cookie, nameOf(kind, piece)) !== undefined) send(reply, kind, piece, '', 0);
  };
  return {
    read: ({ headers: { cookie } }, kind) => {
      const pieces = Array.from({ length: MOST_PIECES }, (_none, piece) => valueIn(cookie, nameOf(kind, piece)) ?? '');
      return pieces[0] === '' ? undefined : pieces.join('');
    },
    write: (request, reply, kind, text, max_age_s) => {
      const pieces = Math.ceil(text.length / PIECE);
      for (let piece = 0; piece < pieces; piece += 1)
        send(reply, kind, piece, text.slice(piece * PIECE, (piece + 1) * PIECE), max_age_s);
      clearFrom(request, reply, kind, pieces);
    },
    clear: (request, reply, kind) => clearFrom(request, reply, kind, 0),
  };
};

const ALG = 'dir';
const ENC = 'A256GCM';
const KEY_BYTES = 32;

type Keys = readonly Readonly<Record<CookieKind, Uint8Array>>[];

/** A key for each purpose, so that a cookie of one kind is not accepted as another (RFC 5869). */
const keysOf = (secrets: readonly string[]): Keys =>
  secrets.map((secret) => {
    const keyOf = (kind: CookieKind): Uint8Array =>
      new Uint8Array(hkdfSync('sha256', secret, '', `teaching cookie ${kind}`, KEY_BYTES));
    return { session: keyOf('session'), renewal: keyOf('renewal'), login: keyOf('login') };
  });

/** Encrypts texts that a browser stores for us, and decrypts them. */
export interface CookieSealer {
  /** Encrypts the value as JSON with the first secret, as a compact JWE (RFC 7516). */
  seal(kind: CookieKind, value: object): Promise<string>;
  /** Decrypts a text sealed with any of the secrets; `undefined` for every other text. */
  open(kind: CookieKind, text: string): Promise<unknown>;
  /** Changes when the secrets change: values decrypted before must not be trusted afterwards. */
  current: LiveValue<unknown>;
}

export const createCookieSealer = (secrets: LiveValue<readonly string[]>): CookieSealer => {
  const keys = derivedValue(secrets, keysOf);
  return {
    seal: async (kind, value) => {
      const [first] = keys();
      if (first === undefined) throw new Error('no secret to encrypt cookies with is configured');
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
          // Sealed with another secret, or not by us.
        }
      }
      return undefined;
    },
    current: keys,
  };
};
