import { fastifyCookie } from '@fastify/cookie';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCookies, LONGEST_COOKIE } from './cookies.ts';

const app = Fastify();
const Length = z.object({ length: z.coerce.number() });
beforeAll(async () => {
  await app.register(fastifyCookie, { hook: false });
  const cookies = createCookies(true);
  app.get('/write', async (request, reply) => {
    cookies.write(request, reply, 'renewal', 'x'.repeat(Length.parse(request.query).length), 60);
    return '';
  });
  app.get('/read', async (request) => cookies.read(request, 'renewal')?.length ?? 0);
});
afterAll(() => app.close());

type Jar = Map<string, string>;
const cookie = (jar: Jar): string => ['other=1', ...[...jar].map(([name, value]) => `${name}=${value}`)].join('; ');
const read = async (jar: Jar): Promise<string> =>
  (await app.inject({ url: '/read', headers: { cookie: cookie(jar) } })).body;
/** What a browser keeps of it; answers the longest cookie it was sent. */
const write = async (jar: Jar, length: number): Promise<number> => {
  const answer = await app.inject({ url: `/write?length=${length}`, headers: { cookie: cookie(jar) } });
  for (const { name, value, maxAge } of answer.cookies) {
    if (maxAge === 0) jar.delete(name);
    else jar.set(name, value);
  }
  return Math.max(...[...jar].map(([name, value]) => `${name}=${value}`.length));
};

describe('a cookie', () => {
  it('is cut where browsers take no longer one, and read as a whole', async () => {
    const jar: Jar = new Map();
    for (const [length, pieces] of [
      [3_800, 1],
      [3_801, 2],
      [LONGEST_COOKIE, 3],
      [7_000, 2],
      [1, 1],
    ] as const) {
      expect(await write(jar, length)).toBeLessThan(4_000);
      expect([await read(jar), jar.size]).toEqual([String(length), pieces]);
    }
  });

  it('is none when its first piece is gone, or it is another with a longer name', async () => {
    const jar: Jar = new Map();
    await write(jar, 5_000);
    const [first = ''] = jar.keys();
    jar.delete(first);
    jar.set(`x${first}`, 'y').set(`${first}x`, 'y');
    expect(await read(jar)).toBe('0');
  });
});
