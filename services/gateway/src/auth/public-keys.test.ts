import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeyFile } from './public-keys.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pair = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const publicKey = (namedCurve = 'P-256') => pair(namedCurve).publicKey.export({ format: 'jwk' });
const read = (content: string, alg = 'ES256') => {
  const path = join(folder, 'jwks.json');
  writeFileSync(path, content);
  return readKeyFile(path, alg);
};
const keys = (...all: object[]): string => JSON.stringify({ keys: all });
const FORM = 'a key set as {"keys":[{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"…"}]}';
const NONE = 'holds no public key that verifies ES256 (JWT_ALGORITHM)';

describe('A file of keys', () => {
  it.each([
    ['one', () => keys(publicKey())],
    ['several', () => keys({ ...publicKey(), kid: 'a' }, { ...publicKey(), kid: 'b' })],
    ['one among others', () => keys(publicKey('P-384'), { ...publicKey(), use: 'enc' }, publicKey())],
  ])('may contain %s', async (_what, content) => {
    await expect(read(content())).resolves.not.toHaveLength(0);
  });

  it.each([
    ['nothing', () => '', `is not JSON: it must be ${FORM}`],
    ['a key in another format', () => '-----BEGIN PUBLIC KEY-----', `is not JSON: it must be ${FORM}`],
    ['a single key', () => JSON.stringify(publicKey()), `is not ${FORM}`],
    ['no key', () => keys(), NONE],
    ['a key of another curve', () => keys(publicKey('P-384')), NONE],
    ['a key for something else', () => keys({ ...publicKey(), use: 'enc' }), NONE],
    ['a secret', () => keys({ kty: 'oct', k: 'aHVudGVyMg' }), NONE],
    ['a broken key', () => keys({ ...publicKey(), x: 'AAAA' }), NONE],
    ['the private key', () => keys(pair('P-256').privateKey.export({ format: 'jwk' })), NONE],
  ])('with %s is refused with the reason', async (_what, content, why) => {
    const fault: unknown = await read(content()).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ConfigError);
    expect(fault).toMatchObject({ message: `JWKS_FILE names a file that ${why}` });
  });

  it('is refused when it does not exist or cannot be read', async () => {
    await expect(readKeyFile(join(folder, 'none.json'), 'ES256')).rejects.toThrow(
      'JWKS_FILE names a file that does not exist',
    );
    await expect(readKeyFile(folder, 'ES256')).rejects.toThrow('JWKS_FILE names a file that cannot be read: EISDIR');
  });
});
