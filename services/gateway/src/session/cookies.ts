import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a cookie is for: who is logged in, how that goes on, and a login that is under way. */
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
