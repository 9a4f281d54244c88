import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { requestHead, openRawConnection, firstStatus } from './raw-http.ts';

const HTML = '<!doctype html><title>The console</title>';
const SCRIPT = `console.log(${JSON.stringify('long enough to be compressed '.repeat(100))});\n`;
const HASHED = '/assets/index-B1x_9-aZ.js';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const LOGIN = {
  // Nobody is there, which the pages can be without.
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'hunter2',
  CONSOLE_URL: 'http://127.0.0.1:8080',
};

let fixture: Fixture;
let gateway: RunningGateway;
let consoleRoot: string;
beforeAll(async () => {
  consoleRoot = mkdtempSync(join(tmpdir(), 'teaching-console-'));
  const write = (path: string, content: string | Buffer): void => writeFileSync(join(consoleRoot, path), content);
  mkdirSync(join(consoleRoot, 'assets'));
  write('index.html', HTML);
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('manifest.webmanifest', '{}');
  write(HASHED, SCRIPT);
  write(`${HASHED}.br`, brotliCompressSync(SCRIPT));
  write('assets/plain-A1b2C3d4.css', 'body{margin:0}\n'.repeat(200));
  fixture = await startFixture({ services: [] });
  gateway = await startGateway(fixture, LOGIN, { consoleRoot });
});
afterAll(async () => {
  await gateway?.stop();
  await fixture?.stop();
  rmSync(consoleRoot, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, address = gateway.address) =>
  fetch(`${address}${path}`, { headers, redirect: 'manual' });
const text = async (path: string, headers?: Record<string, string>): Promise<string> =>
  (await get(path, headers)).text();

describe('The console', () => {
  it('is one page with its own policy, revalidated on each load', async () => {
    const answer = await get('/');
    expect([answer.status, await answer.text()]).toEqual([200, HTML]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    });
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W?\/?".+"$/);
    const again = await get('/', { 'if-none-match': etag, 'cache-control': 'max-age=0' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(await text('/index.html')).toBe(HTML);
  });

  it('sends this page at every other path to clients that accept HTML', async () => {
    for (const path of ['/timetable', '/login?problem=denied', '/people/ada.l', '/class/1/roll-call'])
      expect(await text(path, { accept: BROWSER }), path).toBe(HTML);
    const head = await fetch(`${gateway.address}/timetable`, { method: 'HEAD', headers: { accept: BROWSER } });
    expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-cache', '']);
  });

  it.each(['/api', '/api/v1/nothing', '/auth/nothing', '/docs/nothing', '/health', '/assets/gone-B1x_9-aZ.js'])(
    'is not served at %s',
    async (path) => {
      const answer = await get(path, { accept: BROWSER });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ]);
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    },
  );

  it('does not hide API, documents and health, and answers other methods on its paths with 405', async () => {
    expect((await get('/api/v1/me', { accept: BROWSER })).status).toBe(401);
    expect(await text('/docs', { accept: BROWSER })).toContain('/docs/reference.js');
    expect((await get('/health/live', { accept: BROWSER })).status).toBe(200);
    for (const path of ['/', HASHED]) {
      const answer = await fetch(`${gateway.address}${path}`, { method: 'POST', headers: { accept: BROWSER } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect((await fetch(`${gateway.address}/timetable`, { method: 'POST', headers: { accept: BROWSER } })).status).toBe(
      404,
    );
  });

  it('lets browsers cache hashed files for a year, and sends them compressed', async () => {
    const answer = await get(HASHED, { 'accept-encoding': 'br' });
    expect(await answer.text()).toBe(SCRIPT);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
    });
    const plain = await get(HASHED, { 'accept-encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, SCRIPT]);
    const style = await get('/assets/plain-A1b2C3d4.css', { 'accept-encoding': 'gzip' });
    expect([style.headers.get('content-encoding'), (await style.text()).length]).toEqual(['gzip', 3_000]);
    for (const path of ['/icon.svg', '/manifest.webmanifest'])
      expect((await get(path)).headers.get('cache-control')).toBe('no-cache');
    const part = await get(HASHED, { range: 'bytes=0-3', 'accept-encoding': 'identity' });
    expect([part.status, await part.text()]).toEqual([200, SCRIPT]);
  });

  it('serves no file of another folder and no internal file', async () => {
    const raw = async (path: string): Promise<number> => {
      const line = await openRawConnection(gateway.address);
      line.socket.write(requestHead(`GET ${path}`));
      const status = await firstStatus(line);
      line.socket.destroy();
      return status;
    };
    for (const path of [
      '/../package.json',
      '/assets/../../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      '//index.html',
      `${HASHED}.br`,
    ])
      expect(await raw(path), path).toBe(404);
  });
});

it('a login reports an unreachable provider while the gateway serves other requests', async () => {
  const answer = await get('/auth/login?named=yes', { accept: BROWSER });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login?problem=unavailable']);
  const other = await fetch(`${gateway.address}/auth/login`, { method: 'POST' });
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

describe('A gateway', () => {
  const isLeftOut = async (env: Record<string, string>, options = { consoleRoot }): Promise<number[]> => {
    const one = await startGateway(fixture, env, options);
    try {
      const paths = ['/', '/timetable', HASHED, '/auth/login', '/auth/session'];
      const answers = await Promise.all(paths.map((path) => get(path, { accept: BROWSER }, one.address)));
      return answers.map(({ status }) => status);
    } finally {
      await one.stop();
    }
  };

  it('has neither console nor login when CONSOLE is false or no provider is set', async () => {
    expect(await isLeftOut({ ...LOGIN, CONSOLE: 'off' })).toEqual([404, 404, 404, 404, 404]);
    expect(await isLeftOut({})).toEqual([404, 404, 404, 404, 404]);
  });

  it('serves without a console that is not built, and logs this', async () => {
    expect(await isLeftOut({ ...LOGIN, LOG_LEVEL: 'warn' }, { consoleRoot: join(consoleRoot, 'none') })).toEqual([
      404, 404, 404, 302, 401,
    ]);
    expect(fixture.logged().map(({ msg }) => msg)).toContain('the console is not built and is not served');
  });

  it('counts unknown paths as failures of the address, and pages as public requests', async () => {
    const one = await startGateway(fixture, { ...LOGIN, FAILURE_LIMIT: '3', HOLD_BACK_MS: '0' }, { consoleRoot });
    try {
      const statuses = async (path: string, accept: string): Promise<number[]> => {
        const all: number[] = [];
        for (let n = 0; n < 5; n += 1) all.push((await get(path, { accept }, one.address)).status);
        return all;
      };
      expect(await statuses('/timetable', BROWSER)).toEqual([200, 200, 200, 200, 200]);
      expect(await statuses('/timetable', 'application/json')).toEqual([404, 404, 404, 429, 429]);
    } finally {
      await one.stop();
    }
  });
});
