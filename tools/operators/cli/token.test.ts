import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createPublicKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVerifier } from 'fast-jwt';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AUDIENCE, ISSUER } from '@teaching/local/keys.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'token-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true }));

const ORG = '01900000-0000-7000-8000-000000000002';
const PROGRAM = fileURLToPath(new URL('../../cli.ts', import.meta.url));

const token = (...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, 'token', ...args], { env: { ...process.env, DATA_DIR }, encoding: 'utf8' });

const publicKey = (): string => {
  const jwks: unknown = JSON.parse(readFileSync(join(DATA_DIR, 'jwks.json'), 'utf8'));
  const [key] = z.object({ keys: z.array(z.record(z.string(), z.string())).length(1) }).parse(jwks).keys;
  return createPublicKey({ key: key ?? {}, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
};

test('prints one token and nothing else, signed by the published key', () => {
  const { status, stdout, stderr } = token('--org', ORG, '--sub', 'li.hua', '--role', 'TEACHER', '--ttl', '90s');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const verify = createVerifier({ key: publicKey(), algorithms: ['ES256'], allowedIss: ISSUER, allowedAud: AUDIENCE });
  const claims = z.looseObject({ iat: z.number(), exp: z.number() }).parse(verify(stdout.trim()));
  expect(claims).toMatchObject({ sub: 'li.hua', org_id: ORG, roles: ['TEACHER'] });
  expect(claims.exp - claims.iat).toBe(90);
});

test.each([
  { name: 'a missing role', args: ['--org', ORG, '--sub', 'a'], says: '--role is missing' },
  { name: 'an unknown role', args: ['--org', ORG, '--sub', 'a', '--role', 'KING'], says: '--role ' },
  { name: 'an org that is no UUID', args: ['--org', 'x', '--sub', 'a', '--role', 'TEACHER'], says: '--org ' },
  { name: 'a bad time to live', args: ['--org', ORG, '--sub', 'a', '--role', 'TEACHER', '--ttl', '5'], says: '--ttl ' },
  { name: 'an unknown option', args: ['--nonsense'], says: "'--nonsense'" },
])('$name: exit code 2, explained on stderr, nothing on stdout', ({ args, says }) => {
  const { status, stdout, stderr } = token(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(says);
});
