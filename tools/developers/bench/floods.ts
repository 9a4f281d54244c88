import { randomBytes, randomUUID } from 'node:crypto';

/** The floods of a stranger against the gateway. */
export const FLOODS = [
  'bodies',
  'slow-bodies',
  'bad-tokens',
  'feed-guesses',
  'old-feed-guesses',
  'unknown-paths',
  'health',
  'openapi',
  'reference',
  'unread',
  'console',
] as const;
export type Flood = (typeof FLOODS)[number];

export const ABOUT: Record<Flood, string> = {
  bodies: 'bodies of 1 MiB without a token, sent as a whole',
  'slow-bodies': 'a body is announced and sent byte by byte, without a token',
  'bad-tokens': 'a different token each time, valid except for its signature',
  'feed-guesses': 'secrets of calendar feeds, guessed',
  'old-feed-guesses': 'the same in the form of old secrets, which only a look-up can refuse',
  'unknown-paths': 'paths that are none',
  health: '/health/ready',
  openapi: '/openapi.json, not compressed',
  reference: '/docs/reference.js, the largest document, not compressed',
  unread: 'the same, without reading the answers',
  console: 'the start page of the console and its largest file',
};

const BODY = Buffer.alloc(1_048_576, '0');

const requestOf = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'host: gateway', ...headers, '', ''].join('\r\n');

/** Replaces the signature of a valid token by a random one. */
const forged = (token: string): string =>
  `${token.split('.').slice(0, 2).join('.')}.${randomBytes(64).toString('base64url')}`;

const feedOf = (bytes: number): string =>
  requestOf('GET', `/api/v1/clazz/calendar/${randomBytes(bytes).toString('base64url')}.ics`);

const post = (length: number): string =>
  requestOf('POST', '/api/v1/clazz', 'content-type: application/json', `content-length: ${length}`);

/** The properties of the system that a flood uses. */
export interface FloodTarget {
  /** A token that the gateway takes, to make others from. */
  token: string;
  /** The path of a large file of the console. */
  console_file: string;
}

/** The next request of a flood. */
export const attackOf = (flood: Flood, { token, console_file }: FloodTarget): string | Buffer => {
  switch (flood) {
    case 'bodies':
      return Buffer.concat([Buffer.from(post(BODY.length)), BODY]);
    case 'slow-bodies':
      return post(900_000);
    case 'bad-tokens':
      return requestOf('GET', '/api/v1/clazz', `authorization: Bearer ${forged(token)}`);
    case 'feed-guesses':
      return feedOf(32);
    case 'old-feed-guesses':
      return feedOf(40);
    case 'unknown-paths':
      return requestOf('GET', `/api/v1/${randomUUID()}`);
    case 'health':
      return requestOf('GET', '/health/ready');
    case 'openapi':
      return requestOf('GET', '/openapi.json');
    case 'reference':
    case 'unread':
      return requestOf('GET', '/docs/reference.js');
    case 'console':
      return requestOf('GET', Math.random() < 0.5 ? '/' : console_file, 'accept: text/html', 'accept-encoding: br');
  }
};
