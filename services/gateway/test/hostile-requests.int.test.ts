import { gzipSync } from 'node:zlib';
import { ROLES } from '@teaching/contracts';
import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest';
import { allContents } from '../../../tools/proofs/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { openRawConnection, responseStatuses, firstStatus } from './raw-http.ts';

const PACKAGES = '/api/v1/clazz/course-package';
const LIST = `${PACKAGES}/list/org`;
let fixture: Fixture;
/** A gateway with the shortest timeouts. */
let gateway: RunningGateway;
let token = '';
let before: unknown;
const stored = () => allContents(fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  gateway = await startGateway(fixture, { HEADERS_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '1000' });
  token = fixture.token({ role: ROLES });
  before = await stored();
});
afterAll(async () => {
  // No hostile request was accepted.
  assert.deepEqual(await stored(), before);
  await gateway?.stop();
  await fixture?.stop();
});

const CRLF = '\r\n';
/** A body that would be stored if a gateway accepted it. */
const BODY = '{"title":"smuggled"}';
const LENGTH = `content-length: ${BODY.length}`;
const TYPE = 'content-type: application/json';
const mine = (): string => `authorization: Bearer ${token}`;
const lines = (...all: string[]): string => all.join(CRLF) + CRLF + CRLF;
const get = (target: string, ...headers: string[]): string =>
  lines(`GET ${target} HTTP/1.1`, 'host: here', mine(), ...headers);
/** A request without its body; with a body it would create a package. */
const post = (...headers: string[]): string =>
  lines(`POST ${PACKAGES} HTTP/1.1`, 'host: here', mine(), TYPE, ...headers);
/** Sent after each of them on the same connection; ends the connection. */
const AFTER = lines('GET /health/live HTTP/1.1', 'host: here', 'connection: close');
const answersTo = (bytes: string): Promise<number[]> => responseStatuses(gateway.address, bytes + AFTER);

const NOT_THERE = [404, 200];
const TAKEN = [200, 200];
const BROKEN = [400];
const COMPOSED = 'caf\u00e9';

describe('A path', () => {
  it.each<[string, string, number[]]>([
    ['as it is', LIST, TAKEN],
    ['with a slash at the end', `${LIST}/`, NOT_THERE],
    ['with two slashes at the end', `${LIST}//`, NOT_THERE],
    ['with two slashes inside', '/api/v1//clazz/course-package/list/org', NOT_THERE],
    ['with two slashes before', `/${LIST}`, NOT_THERE],
    ['in capitals', LIST.toUpperCase(), NOT_THERE],
    ['with one capital', '/api/v1/clazz/course-Package/list/org', NOT_THERE],
    ['with a backslash', '/api/v1/clazz\\course-package/list/org', NOT_THERE],
    ['with a parent inside', '/api/v1/x/../clazz/course-package/list/org', NOT_THERE],
    ['with a parent of the root', '/../../etc/passwd', NOT_THERE],
    ['with an encoded parent', '/api/v1/x/%2e%2e/clazz/course-package/list/org', NOT_THERE],
    ['with a parent that is encoded twice', '/api/v1/%252e%252e/health/live', NOT_THERE],
    ['with a dot inside', '/api/v1/./clazz/course-package/list/org', NOT_THERE],
    ['with an encoded slash', '/api/v1/clazz/course-package/list%2forg', [400, 200]],
    ['with a slash that is encoded twice', '/api/v1/clazz/course-package/list%252forg', [400, 200]],
    ['with an encoded letter', '/api/v1/clazz/course-package/list/%6frg', TAKEN],
    ['with a letter that is encoded twice', '/api/v1/clazz/course-package/list/%256frg', NOT_THERE],
    ['with a NUL character', `${PACKAGES}/%00`, [400, 200]],
    ['with a NUL character at the end', `${LIST}%00`, NOT_THERE],
    ['with an incomplete percent code', `${PACKAGES}/%e`, [400, 200]],
    ['with bytes that are no UTF-8', `${PACKAGES}/%ff`, [400, 200]],
    ['with an overlong encoding of a slash', `${PACKAGES}/list%c0%aforg`, [400, 200]],
    ['in composed letters', `${PACKAGES}/${encodeURIComponent(COMPOSED.normalize('NFC'))}`, [400, 200]],
    ['in decomposed letters', `${PACKAGES}/${encodeURIComponent(COMPOSED.normalize('NFD'))}`, [400, 200]],
    ['with a full-width letter', `${PACKAGES}/list/${encodeURIComponent('\uff4frg')}`, NOT_THERE],
    ['with letters that are not encoded', `${PACKAGES}/\u00e9`, BROKEN],
    ['with a path parameter', `${LIST};a=b`, NOT_THERE],
    ['with a fragment', `${LIST}#x`, TAKEN],
    ['with a long segment', `${PACKAGES}/${'x'.repeat(3_000)}`, [400, 200]],
    ['that is too long', `${PACKAGES}/${'x'.repeat(12_000)}`, [414, 200]],
    ['with a tab', `${PACKAGES}/\tx`, BROKEN],
    ['with a space', `${PACKAGES}/a b`, BROKEN],
    ['without a slash before', 'api/v1/clazz', BROKEN],
    ['in absolute form', `http://here${LIST}`, TAKEN],
    ['in absolute form for another host', `http://evil.example${LIST}`, TAKEN],
    ['in absolute form for an unknown path', 'http://evil.example/nowhere', NOT_THERE],
    ['that is only a host', 'here:443', BROKEN],
    ['that is an asterisk', '*', NOT_THERE],
  ])('%s', async (_what, target, statuses) => {
    expect(await answersTo(get(target))).toEqual(statuses);
    // Without a token, no spelling of the path returns data.
    const [first = 0] = await answersTo(lines(`GET ${target} HTTP/1.1`, 'host: here'));
    expect(first >= 400).toBe(true);
  });
});

describe('A request line', () => {
  it.each<[string, () => string, number[]]>([
    ['to connect to a host', () => lines('CONNECT here:443 HTTP/1.1', 'host: here', mine()), []],
    ['with an asterisk as path', () => lines('OPTIONS * HTTP/1.1', 'host: here', mine()), NOT_THERE],
    ['with an unknown method', () => lines(`SMUGGLE ${LIST} HTTP/1.1`, 'host: here', mine()), BROKEN],
    ['with a method in small letters', () => lines(`get ${LIST} HTTP/1.1`, 'host: here', mine()), BROKEN],
    ['with TRACE', () => lines(`TRACE ${LIST} HTTP/1.1`, 'host: here', mine()), NOT_THERE],
    ['of HTTP/2', () => lines('PRI * HTTP/2.0', '', 'SM'), BROKEN],
    ['of HTTP/9', () => lines(`GET ${LIST} HTTP/9.9`, 'host: here', mine()), BROKEN],
    ['without a host', () => lines(`GET ${LIST} HTTP/1.1`, mine()), BROKEN],
    ['of TLS', () => '\u0016\u0003\u0001\u0002\u0000\u0001', BROKEN],
  ])('%s', async (_what, bytes, statuses) => expect(await answersTo(bytes())).toEqual(statuses));
});

describe('Headers with', () => {
  const chunk = `${BODY.length.toString(16)}${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`;
  it.each<[string, () => string, number[]]>([
    ['two lengths that differ', () => post('content-length: 0', LENGTH) + BODY, BROKEN],
    ['two equal lengths', () => post(LENGTH, LENGTH) + BODY, BROKEN],
    ['a list of lengths', () => post(`content-length: ${BODY.length}, ${BODY.length}`) + BODY, BROKEN],
    ['a length with a sign', () => post(`content-length: +${BODY.length}`) + BODY, BROKEN],
    ['a negative length', () => post('content-length: -1') + BODY, BROKEN],
    ['a length in another base', () => post('content-length: 0x14') + BODY, BROKEN],
    ['a length that is too large', () => post(`content-length: ${'9'.repeat(30)}`) + BODY, BROKEN],
    ['a length and chunks', () => post(LENGTH, 'transfer-encoding: chunked') + chunk, BROKEN],
    ['chunks and a length', () => post('transfer-encoding: chunked', LENGTH) + chunk, BROKEN],
    ['chunks in an unknown coding', () => post('transfer-encoding: xchunked') + chunk, BROKEN],
    ['chunks that are not the last coding', () => post('transfer-encoding: chunked, identity') + chunk, BROKEN],
    ['a control character before `chunked`', () => post('transfer-encoding: \u000bchunked') + chunk, BROKEN],
    ['chunks twice', () => post('transfer-encoding: chunked', 'transfer-encoding: identity') + chunk, BROKEN],
    ['chunks with a space before the colon', () => post('transfer-encoding : chunked') + chunk, BROKEN],
    [
      'a chunk size that is too large',
      () => post('transfer-encoding: chunked') + `${'f'.repeat(17)}${CRLF}${BODY}`,
      BROKEN,
    ],
    [
      'a chunk size with a sign',
      () => post('transfer-encoding: chunked') + `+14${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`,
      BROKEN,
    ],
    ['a value that continues in the next line', () => get(LIST, 'x-a: 1', ' 2'), BROKEN],
    ['a name with a space', () => get(LIST, 'x a: 1'), BROKEN],
    ['a space before the colon', () => lines(`GET ${LIST} HTTP/1.1`, 'host: here', mine().replace(':', ' :')), BROKEN],
    ['no name', () => get(LIST, ': 1'), BROKEN],
    ['no colon', () => get(LIST, 'x-a'), BROKEN],
    ['a NUL character', () => get(LIST, 'x-a: 1\u00002'), BROKEN],
    ['lines that end by LF alone', () => `GET ${LIST} HTTP/1.1\nhost: here\n${mine()}\n\n`, BROKEN],
    ['a line that ends by CR alone', () => get(LIST, 'x-a: 1\rx-b: 2'), BROKEN],
    ['one huge header', () => get(LIST, `x-a: ${'x'.repeat(17_000)}`), [431]],
    ['very many headers', () => get(LIST, ...Array.from({ length: 3_000 }, (_, n) => `x-${n}: 1`)), [431]],
    ['two hosts', () => get(LIST, 'host: evil.example'), [400, 200]],
    ['another host', () => get(LIST).replace('host: here', 'host: evil.example'), TAKEN],
    ['another method', () => get(LIST, 'x-http-method-override: DELETE', 'x-method-override: PUT'), TAKEN],
    ['another path', () => get(LIST, 'x-original-url: /nowhere', 'x-rewrite-url: /nowhere'), TAKEN],
    [
      'headers that only a proxy may send',
      () => get(LIST, 'x-forwarded-for: 192.0.2.1', 'x-forwarded-host: evil.example', 'forwarded: for=192.0.2.1'),
      TAKEN,
    ],
    ['an unknown expectation', () => get(LIST, 'expect: the-best'), [417, 200]],
    ['trailers to come', () => get(LIST, 'te: trailers', 'trailer: authorization'), TAKEN],
    ['Authorization listed in Connection', () => get(LIST, 'connection: authorization'), TAKEN],
    [
      'a token in a cookie',
      () => lines(`GET ${LIST} HTTP/1.1`, 'host: here', `cookie: token=${token}; authorization=${token}`),
      [401, 200],
    ],
    [
      'a token for the proxy',
      () => lines(`GET ${LIST} HTTP/1.1`, 'host: here', `proxy-authorization: Bearer ${token}`),
      [401, 200],
    ],
    ['a token in the path', () => lines(`GET ${LIST}?access_token=${token} HTTP/1.1`, 'host: here'), [401, 200]],
    [
      'a request in the body of a refused one',
      () =>
        lines(`POST ${PACKAGES} HTTP/1.1`, 'host: here', TYPE, `content-length: ${(post(LENGTH) + BODY).length}`) +
        post(LENGTH) +
        BODY,
      [401, 200],
    ],
    [
      'a request in a body that a GET does not read',
      () => get(LIST, TYPE, `content-length: ${(post(LENGTH) + BODY).length}`) + post(LENGTH) + BODY,
      TAKEN,
    ],
  ])('%s', async (_what, bytes, statuses) => expect(await answersTo(bytes())).toEqual(statuses));
});

describe('A body', () => {
  const title = (value: string): string => `{"title":${value}}`;
  const more = (name: string, value: string): string => `{"title":"smuggled","${name}":${value}}`;
  const [WRONG, KIND, LARGE] = [400, 415, 413];
  const JSON_TYPE = 'application/json';
  it.each<[string, string | Buffer, number, Record<string, string>?]>([
    ['that is deep in arrays', '['.repeat(60_000), WRONG],
    ['that is deep and complete', title('['.repeat(30_000) + ']'.repeat(30_000)), WRONG],
    ['that is deep in objects', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000), WRONG],
    ['that is large', title(`"${'x'.repeat(1_100_000)}"`), LARGE],
    ['with a prototype', more('__proto__', '{"org_id":"x"}'), WRONG],
    ['with a constructor', more('constructor', '{"prototype":{"a":1}}'), WRONG],
    ['with a title twice, the last one wrong', '{"title":"smuggled","title":7}', WRONG],
    ['with NaN as a number', more('price_minor', 'NaN'), WRONG],
    ['with a number that is too large', more('price_minor', '1e999'), WRONG],
    ['with a number that is too small', more('price_minor', '-1e999'), WRONG],
    ['with a number beyond 2^53', more('price_minor', '9007199254740993'), WRONG],
    ['with a number that is almost whole', more('price_minor', '0.5'), WRONG],
    ['with many decimal places', more('total_hours', '0.000000000000000000000001'), WRONG],
    ['with a number of many digits', more('price_minor', '1'.repeat(5_000)), WRONG],
    ['with a lone surrogate', title('"\\ud800"'), WRONG],
    ['with a NUL character', title('"a\\u0000b"'), WRONG],
    ['with a line break in a text', '{"title":"a\nb"}', WRONG],
    ['with a comment', '{"title":"smuggled"}//', WRONG],
    ['with a comma too many', '{"title":"smuggled",}', WRONG],
    ['in single quotes', "{'title':'smuggled'}", WRONG],
    ['that continues after its end', '{"title":"smuggled"} {}', WRONG],
    ['that is cut off', '{"title":"smuggled"', WRONG],
    ['that is cut off in a text', '{"title":"smug', WRONG],
    ['that is empty', '', WRONG],
    ['that is a space', ' ', WRONG],
    ['that is null', 'null', WRONG],
    ['that is a text', '"title"', WRONG],
    ['that is a list', '[{"title":"smuggled"}]', WRONG],
    ['in UTF-16', Buffer.from(BODY, 'utf16le'), WRONG],
    ['in Latin-1', Buffer.from('{"title":"\u00e9"}', 'latin1'), WRONG],
    ['with an overlong encoding of NUL', Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), WRONG],
    ['with an incomplete UTF-8 sequence', Buffer.from('{"title":"\u5b66"}').subarray(0, 12), WRONG],
    ['declared with another charset', BODY, KIND, { 'content-type': `${JSON_TYPE}; charset=utf-16` }],
    ['declared with two charsets', BODY, KIND, { 'content-type': `${JSON_TYPE}; charset=utf-7; charset=utf-8` }],
    ['declared as a form', BODY, KIND, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['declared as text', BODY, KIND, { 'content-type': 'text/plain' }],
    ['declared as a type like JSON', BODY, KIND, { 'content-type': 'application/jsonp' }],
    ['declared as a problem document', BODY, KIND, { 'content-type': 'application/problem+json' }],
    ['declared as multipart', BODY, KIND, { 'content-type': 'multipart/form-data; boundary=x' }],
    ['that is compressed', gzipSync(BODY), KIND, { 'content-encoding': 'gzip' }],
    ['that is a compression bomb', gzipSync(Buffer.alloc(50_000_000, ' ')), KIND, { 'content-encoding': 'gzip' }],
    ['that is compressed twice', gzipSync(gzipSync(BODY)), KIND, { 'content-encoding': 'gzip, gzip' }],
    ['that is compressed without a content encoding', gzipSync(BODY), WRONG],
  ])('%s', async (_what, body, status, headers = {}) => {
    const bytes = typeof body === 'string' ? body : new Uint8Array(body);
    const sent = { 'content-type': JSON_TYPE, ...headers };
    const answer = await fixture.as({ role: ROLES }).send('POST', '/clazz/course-package', bytes, sent);
    expect(answer.status).toBe(status);
  });
});

/** After a request that is not HTTP/1.1, nothing after the first answer is read. */
it.each<[string, () => string, number]>([
  ['another protocol', () => get(LIST, 'connection: upgrade', 'upgrade: websocket'), 200],
  ['HTTP/2', () => get(LIST, 'connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABk'), 200],
  ['HTTP/1.0', () => lines(`GET ${LIST} HTTP/1.0`, mine()), 200],
  ['no version', () => lines(`GET ${LIST}`), 401],
])('answers a request for %s with HTTP/1.1', async (_protocol, bytes, status) => {
  const line = await openRawConnection(gateway.address);
  line.socket.write(bytes());
  expect(await firstStatus(line)).toBe(status);
  line.socket.destroy();
});
