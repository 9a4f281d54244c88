import { randomBytes, randomUUID } from 'node:crypto';

/** The floods of a stranger against the gateway. */
export const FLOODS = ['slow-bodies', 'bad-tokens', 'feed-guesses', 'unknown-paths', 'health'] as const;
export type Flood = (typeof FLOODS)[number];

export const ABOUT: Record<Flood, string> = {
  'slow-bodies': 'a body is announced and sent byte by byte, without a token',
  'bad-tokens': 'a different token each time, valid except for its signature',
  'feed-guesses': 'secrets of calendar feeds, guessed',
  'unknown-paths': 'paths that are none',
  health: '/health/ready',
};

const requestOf = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'host: gateway', ...headers, '', ''].join('\r\n');

/** Replaces the signature of a valid token by a random one. */
const forged = (token: string): string =>
  `${token.split('.').slice(0, 2).join('.')}.${randomBytes(64).toString('base64url')}`;

/** The next request of a flood. `token` is one that the gateway takes. */
export const attackOf = (flood: Flood, token: string): string => {
  switch (flood) {
    case 'slow-bodies':
      return requestOf('POST', '/api/v1/clazz', 'content-type: application/json', 'content-length: 900000');
    case 'bad-tokens':
      return requestOf('GET', '/api/v1/clazz', `authorization: Bearer ${forged(token)}`);
    case 'feed-guesses':
      return requestOf('GET', `/api/v1/clazz/calendar/${randomBytes(32).toString('base64url')}.ics`);
    case 'unknown-paths':
      return requestOf('GET', `/api/v1/${randomUUID()}`);
    case 'health':
      return requestOf('GET', '/health/ready');
  }
};
