import { hkdfSync } from 'node:crypto';
import { derivedValue, type LiveValue } from '@teaching/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compactDecrypt, CompactEncrypt } from 'jose';

/** What a cookie is for: the session, its renewal, and a login under way. */
export type CookieKind = 'session' | 'renewal' | 'login';

/** Characters of one cookie: browsers take 4,096 bytes with its name. */
const PIECE = 3_800;
/** Pieces of a text that is longer. */
const MOST_PIECES = 2;
/** Every request brings all cookies in one header line, for which many servers in front of a gateway have 8 kB. */
export const LONGEST_COOKIE = 5_000;

export interface Cookies {
  /** What the browser sent; `undefined` when it has none of this kind. */
  read(request: FastifyRequest, kind: CookieKind): string | undefined;
  /** Gives the browser at most `LONGEST_COOKIE` characters to keep for so many seconds. */
  write(request: FastifyRequest, reply: FastifyReply, kind: CookieKind, text: string, max_age_s: number): void;
  clear(request: FastifyRequest, reply: FastifyReply, kind: CookieKind): void;
}

/** The value of a cookie that the browser sent; ours need no decoding. */
const valueIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(/; ?/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * Cookies that no script reads and that other sites send with a navigation only. Over https the prefix of their names makes
 * browsers refuse such a cookie from a page over http and from another host of the same domain (RFC 6265bis §4.1.3.2). The prefix
 * requires `Secure` and the path `/`, so the browser sends them with every request.
 */
export const createCookies = (isSecure: boolean): Cookies => {
  const nameOf = (kind: CookieKind, piece: number): string =>
    `${isSecure ? '__Host-' : ''}teaching-${kind}${piece === 0 ? '' : `.${piece}`}`;
  const send = (reply: FastifyReply, kind: CookieKind, piece: number, text: string, maxAge: number): void => {
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure, maxAge } as const;
    void reply.setCookie(nameOf(kind, piece), text, attributes);
  };
  /** Takes back the pieces from this one on that the browser has. */
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
  current: LiveValue<unknown>;
}

export const createCookieSealer = (secrets: LiveValue<readonly string[]>): CookieSealer => {
  const keys = derivedValue(secrets, keysOf);
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
