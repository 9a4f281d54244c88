import { fastifyCookie } from '@fastify/cookie';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ALL_ROLES } from '@teaching/contracts';
import { fixedValue } from '@teaching/kit';
import { type CookieKind, createCookies, createCookieSealer, LONGEST_COOKIE } from './cookies.ts';
import { LONGEST_RETURN_PATH } from './login-routes.ts';

const KINDS: readonly CookieKind[] = ['session', 'renewal', 'login'];
const app = Fastify();
const Length = z.object({ length: z.coerce.number() });
beforeAll(async () => {
  await app.register(fastifyCookie, { hook: false });
  const cookies = createCookies(true);
  app.get('/write', async (request, reply) => {
    cookies.write(request, reply, 'renewal', 'x'.repeat(Length.parse(request.query).length), 60);
    return '';
  });
  for (const isSecure of [true, false])
    app.get(`/all/${isSecure}`, async (request, reply) => {
      const all = createCookies(isSecure);
      all.write(request, reply, 'session', 'x', 60);
      all.write(request, reply, 'renewal', 'x', 60);
      all.clear(request, reply, 'login');
      return '';
    });
  app.get('/read', async (request) => cookies.read(request, 'renewal')?.length ?? 0);
});
afterAll(() => app.close());

type Jar = Map<string, string>;
const cookie = (jar: Jar): string => ['other=1', ...[...jar].map(([name, value]) => `${name}=${value}`)].join('; ');
const read = async (jar: Jar): Promise<string> =>
  (await app.inject({ url: '/read', headers: { cookie: cookie(jar) } })).body;
/** Applies the response to the jar like a browser; returns the length of the longest stored cookie. */
const write = async (jar: Jar, length: number): Promise<number> => {
  const answer = await app.inject({ url: `/write?length=${length}`, headers: { cookie: cookie(jar) } });
  for (const { name, value, maxAge } of answer.cookies) {
    if (maxAge === 0) jar.delete(name);
    else jar.set(name, value);
  }
  return Math.max(...[...jar].map(([name, value]) => `${name}=${value}`.length));
};

describe('A cookie', () => {
  it('is split at the length that browsers accept, and read as one text', async () => {
    const jar: Jar = new Map();
    for (const [length, pieces] of [
      [3_800, 1],
      [3_801, 2],
      [LONGEST_COOKIE, 2],
      [1, 1],
    ] as const) {
      expect(await write(jar, length)).toBeLessThan(4_000);
      expect([await read(jar), jar.size]).toEqual([String(length), pieces]);
    }
  });

  it('is absent when its first piece is missing, also beside cookies with similar names', async () => {
    const jar: Jar = new Map();
    await write(jar, 5_000);
    const [first = ''] = jar.keys();
    jar.delete(first);
    jar.set(`x${first}`, 'y').set(`${first}x`, 'y');
    expect(await read(jar)).toBe('0');
  });

  it('has a name over https that no other host can set, and a plain name over http', async () => {
    const linesOf = async (isSecure: boolean) =>
      (await app.inject({ url: `/all/${isSecure}` })).headers['set-cookie'] as string[];
    const lines = (prefix: string, secure: string) => [
      `${prefix}teaching-session=x; Max-Age=60; Path=/; HttpOnly;${secure} SameSite=Lax`,
      `${prefix}teaching-renewal=x; Max-Age=60; Path=/; HttpOnly;${secure} SameSite=Lax`,
      `${prefix}teaching-login=; Max-Age=0; Path=/; HttpOnly;${secure} SameSite=Lax`,
    ];
    expect(await linesOf(true)).toEqual(lines('__Host-', ' Secure;'));
    expect(await linesOf(false)).toEqual(lines('', ''));
  });

  it('fits with all others at their longest into a header line of 8 kB', async () => {
    const sealer = createCookieSealer(fixedValue(['a secret of at least thirty-two characters']));
    const now_s = 1_780_000_000.123;
    const [sub, org_id] = ['\u{20000}'.repeat(128), '01900000-0000-7000-8000-000000000001'];
    const session = await sealer.seal('session', { sub, org_id, roles: ALL_ROLES, iat: now_s, exp: 1_780_000_600 });
    const check = 'x'.repeat(43);
    const return_to = `/${'x'.repeat(LONGEST_RETURN_PATH - 1)}`;
    const attempt = { state: check, nonce: check, verifier: check, return_to, exp: now_s };
    const login = await sealer.seal('login', attempt);
    const names = KINDS.map((kind) => `; __Host-teaching-${kind}=`).join('') + '; __Host-teaching-renewal.1=';
    const length = `cookie: ${names}${session}${login}`.length + LONGEST_COOKIE;
    expect(length).toBeGreaterThan(7_500);
    expect(length).toBeLessThan(8_000);
  });
});
