import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readOrMake } from './file.ts';
import { secret } from './secrets.ts';

/** The content of login.json. */
const Stored = z.object({
  /** Signs identity tokens. */
  key: z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string(), d: z.string() }),
  /** Signs cookies. */
  cookie: z.string(),
  /** By which the gateway shows that it is the console. */
  client: z.string(),
});

const newKey = (): JsonWebKey =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const newSecrets = (): string => JSON.stringify({ key: newKey(), cookie: secret(), client: secret() });

/** RFC 7638: the required members in alphabetical order, hashed. */
const thumbprint = ({ crv, kty, x, y }: z.output<typeof Stored>['key']): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

/** The secrets of the log-in, created at the first call and stored: a restart changes none of them. */
export const loginKeysIn = (dataDir: string) => {
  const { key, cookie, client } = Stored.parse(JSON.parse(readOrMake(join(dataDir, 'login.json'), newSecrets)));
  return { jwk: { ...key, kid: thumbprint(key), alg: 'ES256', use: 'sig' }, cookie, client };
};
