import { connect } from 'node:net';
import { gunzipSync, brotliDecompressSync, zstdDecompressSync } from 'node:zlib';
import { allCalls, auditCalls, clazzCalls, packageCalls, PROBLEMS } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

const PACKAGES = '/api/v1/clazz/course-package';
let fixture: Fixture;
let clazz_id = '';
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'clazz'] });
  const boss = fixture.as({ role: 'SUPERVISOR' });
  for (const n of [1, 2, 3])
    await boss.ok(packageCalls.createPackage, { body: { title: `P${n}`, description: 'x'.repeat(700) } });
  clazz_id = (await newClazz(boss, { name: 'C' })).id;
});
afterAll(() => fixture?.stop());

const authorization = (): string => `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`;

/** The bytes received for this input until the server is silent or closes; headers in lower case. */
const exchange = (head: string, enough = '\r\n\r\n'): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(fixture.address);
    let seen = '';
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
      if (seen.includes(enough)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(seen));
  });
const head = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, 'Host: here', `Authorization: ${authorization()}`, ...headers].join('\r\n')}\r\n\r\n`;

/** A response as raw bytes, not decoded. */
const raw = async (path: string, ...headers: string[]) => {
  const { hostname, port } = new URL(fixture.address);
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () =>
      socket.write(head(`GET ${path}`, 'Connection: close', ...headers)),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks)));
  });
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const named = lines.slice(1).map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
  });
  return { status: Number(lines[0]?.split(' ')[1]), headers: new Headers(named), body: bytes.subarray(end + 4) };
};

describe('A long response', () => {
  const LIST = `${PACKAGES}/list/org?sort=title`;

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ])('is compressed with %s when the client accepts it', async (encoding, decode) => {
    const { headers, body } = await raw(LIST, `Accept-Encoding: ${encoding}`);
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
    expect(body.length).toBe(Number(headers.get('content-length')));
    const { items } = JSON.parse(decode(body).toString()) as { items: { title: string }[] };
    expect(items.map(({ title }) => title)).toEqual(['P1', 'P2', 'P3']);
  });

  it('is not compressed when the client accepts no encoding', async () => {
    for (const wish of [[], ['Accept-Encoding: gzip;q=0, identity']]) {
      const { headers, body } = await raw(LIST, ...wish);
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
      expect(JSON.parse(body.toString())).toMatchObject({ next_cursor: null });
    }
  });

  it('is compressed also when it is an error or an export in pages', async () => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`unknown_${n}`, 1])));
    const refused = await fixture.as({ role: 'SUPERVISOR' }).send('POST', '/clazz', body, {
      'content-type': 'application/json',
      'accept-encoding': 'br',
    });
    expect([refused.status, refused.headers.get('content-encoding')]).toEqual([400, 'br']);
    const trail = await raw(`/api/v1/clazz/${clazz_id}/audit-log`, 'Accept: text/csv', 'Accept-Encoding: gzip');
    expect(trail.status).toBe(200);
    expect([trail.headers.get('content-type'), trail.headers.get('vary')]).toEqual([
      'text/csv; charset=utf-8; header=present',
      expect.stringContaining('Accept'),
    ]);
  });

  it('is compressed only from a minimum size', async () => {
    const { headers } = await raw(`/api/v1/clazz/${clazz_id}`, 'Accept-Encoding: gzip');
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null]);
  });
});

describe('A response that the caller already has', () => {
  it('is answered with 304 on every route with an ETag', async () => {
    const boss = fixture.as({ role: 'SUPERVISOR' });
    const path = { id: clazz_id };
    const { headers } = await boss.answer(clazzCalls.getClazz, { path });
    const etag = headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
      const answer = await boss.get(`/clazz/${clazz_id}`, { 'if-none-match': known });
      expect([answer.status, answer.body, answer.headers.get('etag')], known).toEqual([304, '', etag]);
      expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([null, 'no-store']);
    }
    expect((await boss.get(`/clazz/${clazz_id}`, { 'if-none-match': '"0"' })).status).toBe(200);
    const changed = await boss.ok(clazzCalls.updateClazz, { path, body: { name: 'D' } }, { 'if-none-match': '*' });
    expect((await boss.get(`/clazz/${clazz_id}`, { 'if-none-match': etag })).body).toEqual(changed);
  });

  it('is answered with 304 for documents, which may be cached for some minutes', async () => {
    for (const path of ['/openapi.json', '/asyncapi.json', '/docs', '/docs/start.js', '/docs/reference.js']) {
      const { status, headers } = await raw(path, 'Accept-Encoding: br');
      const etag = headers.get('etag') ?? '';
      expect([status, etag.length > 10, headers.get('cache-control')], path).toEqual([
        200,
        true,
        'public, max-age=300',
      ]);
      const again = await raw(path, `If-None-Match: ${etag}`);
      expect([again.status, again.body.length], path).toEqual([304, 0]);
    }
    const sizes = await Promise.all(
      ['identity', 'gzip', 'br', 'zstd'].map(async (encoding) => {
        const { headers, body } = await raw('/openapi.json', `Accept-Encoding: ${encoding}`);
        expect(headers.get('vary')).toBe('Accept-Encoding');
        return body.length;
      }),
    );
    expect(Math.max(...sizes.slice(1))).toBeLessThan((sizes[0] ?? 0) / 8);
  });
});

describe('Accept', () => {
  it.each([
    ['text/csv', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['text/csv;q=0.1, application/json', 'application/json'],
    ['text/*', 'text/csv'],
    ['*/*', 'application/json'],
  ])('%s selects the content type %s', async (accept, type) => {
    const path = { id: clazz_id };
    const { headers } = await fixture.as({ role: 'SUPERVISOR' }).get(`/clazz/${path.id}/audit-log`, { accept });
    expect(headers.get('content-type')).toContain(type);
    expect(headers.get('vary')).toContain('Accept');
    expect(auditCalls.listClazzAuditEntries.also).toBe('text/csv');
  });
});

describe('CSV', () => {
  const exports = allCalls.filter(({ also }) => also === 'text/csv').map(({ http }) => http?.path ?? '');
  const pathOf = (path: string): string => path.replace('{id}', clazz_id);
  const MARK = Buffer.from('\uFEFF');

  it.each(exports)('of %s begins with a byte-order mark when requested', async (path) => {
    const marked = await raw(`${pathOf(path)}?bom=true`, 'Accept: text/csv');
    expect([marked.status, marked.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    expect(marked.body.subarray(0, MARK.length)).toEqual(MARK);
    for (const query of ['', '?bom=false']) {
      const plain = await raw(`${pathOf(path)}${query}`, 'Accept: text/csv');
      expect([plain.status, plain.body.includes(MARK)]).toEqual([200, false]);
    }
  });

  it.each(exports)('of %s is selected by a request for a byte-order mark', async (path) => {
    for (const bom of ['true', 'false']) {
      const refused = await fixture
        .as({ role: 'SUPERVISOR' })
        .send('GET', `/${pathOf(path).slice(8)}?bom=${bom}`, undefined);
      expect(refused.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/query/bom' }] });
    }
  });
});

describe('Methods', () => {
  const reads = allCalls.filter(({ http, path }) => http?.method === 'GET' && Object.keys(path.shape).length === 0);

  it('HEAD works on every GET route and returns the same headers', async () => {
    const boss = fixture.as({ role: 'SUPERVISOR' });
    const documents = ['//health/live', '//openapi.json', '//docs'];
    const paths = reads.flatMap(({ http }) => http?.path.slice('/api/v1'.length) ?? []);
    for (const path of [...documents, ...paths]) {
      const [got, asked] = [await boss.get(path), await boss.send('HEAD', path, undefined)];
      expect([asked.status, asked.body], path).toEqual([got.status, '']);
      const type = got.headers.get('content-type');
      expect([asked.headers.get('content-type'), asked.headers.get('etag')]).toEqual([type, got.headers.get('etag')]);
    }
  });

  it('OPTIONS lists the methods, also without a token', async () => {
    const asked = async (path: string) => {
      const { status, headers } = await fixture.raw().send('OPTIONS', path, undefined);
      return [status, headers.get('allow')];
    };
    expect(await asked('/clazz')).toEqual([204, 'POST, GET, HEAD, OPTIONS']);
    expect(await asked('/clazz/x/activate')).toEqual([204, 'POST, OPTIONS']);
    expect(await asked('//openapi.json')).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await asked('/nowhere'))[0]).toBe(404);
  });
});

describe('A URL that is too long', () => {
  const query = (length: number): string => `?keyword=${'x'.repeat(length)}`;

  it.each([12_000, 20_000, 200_000])('is refused by 414: %i characters', async (length) => {
    const seen = await exchange(head(`GET ${PACKAGES}/list/org${query(length)}`));
    expect(seen.split('\r\n')[0]).toBe('HTTP/1.1 414 URI Too Long');
    expect(seen).toContain('application/problem+json');
    expect(await exchange(head(`GET /nowhere${query(length)}`))).toContain(' 414 ');
  });

  it('has another code than headers or values that are too long', async () => {
    const seen = await exchange(head(`GET ${PACKAGES}/list/org`, `X-Long: ${'x'.repeat(20_000)}`));
    expect(seen.split('\r\n')[0]).toBe(`HTTP/1.1 ${PROBLEMS.headers_too_large[0]} Request Header Fields Too Large`);
    expect(await exchange(head(`GET ${PACKAGES}/list/org${query(10_000)}`))).toContain(' 400 ');
  });
});

describe('A request with Expect: 100-continue', () => {
  const waits = (path: string, ...headers: string[]): Promise<string> =>
    exchange(head(`POST ${path}`, 'Expect: 100-continue', 'Content-Type: application/json', ...headers));

  it('gets 100 when token, role and length are valid, and its body is read', async () => {
    const body = '{"title":"Latin"}';
    expect(await waits(PACKAGES, `Content-Length: ${body.length}`)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const { hostname, port } = new URL(fixture.address);
    const seen = await new Promise<string>((resolve, reject) => {
      let all = '';
      const request = head(
        `POST ${PACKAGES}`,
        'Expect: 100-continue',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      );
      const socket = connect(Number(port), hostname, () => socket.write(request));
      socket.on('data', (chunk: Buffer) => {
        if (all === '') socket.write(body);
        all += chunk.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(all));
    });
    expect(seen).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created/);
  });

  it.each([
    ['an invalid token', PACKAGES, ['Content-Length: 9', 'Authorization: Bearer no'], 401],
    ['a length that is too large', PACKAGES, ['Content-Length: 2000000'], 413],
    ['a content encoding', PACKAGES, ['Content-Length: 9', 'Content-Encoding: gzip'], 415],
    ['an unknown path', '/api/v1/nowhere', ['Content-Length: 9'], 404],
    ['an unknown method', `${PACKAGES}/list/org`, ['Content-Length: 9'], 405],
  ])('is answered at once instead: %s', async (_why, path, headers, status) => {
    const own = headers.find((header) => header.startsWith('Authorization'));
    const lines = head(`POST ${path}`, 'Expect: 100-continue', 'Content-Type: application/json', ...headers);
    const text = own === undefined ? lines : lines.replace(/Authorization: .*\r\n/, '');
    expect((await exchange(text)).split('\r\n')[0]).toContain(`HTTP/1.1 ${status} `);
  });

  it('is refused without the required role', async () => {
    const student = fixture.token({ role: 'STUDENT' });
    const lines = head(
      `POST ${PACKAGES}`,
      'Expect: 100-continue',
      'Content-Type: application/json',
      'Content-Length: 9',
    );
    const text = lines.replace(/Bearer .*\r\n/, `Bearer ${student}\r\n`);
    expect((await exchange(text)).split('\r\n')[0]).toContain('HTTP/1.1 403 ');
  });
});
