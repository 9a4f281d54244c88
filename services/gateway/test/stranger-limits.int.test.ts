import { once } from 'node:events';
import { packageCalls } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Env } from '../../../libs/kit/src/index.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { requestHead, type RawConnection, openRawConnection, firstStatus } from './raw-http.ts';

const PACKAGES = '/api/v1/clazz/course-package';
let fixture: Fixture;
const running: RunningGateway[] = [];
beforeAll(async () => {
  // No service runs: a request that is sent over the bus gets 503.
  fixture = await startFixture({ services: [] });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
});
afterAll(() => fixture?.stop());

const gatewayWith = async (env: Env): Promise<string> => {
  const gateway = await startGateway(fixture, env);
  running.push(gateway);
  return gateway.address;
};
const tokenOf = (role: 'TEACHER' | 'STUDENT', sub?: string): string =>
  `authorization: Bearer ${fixture.token({ role, sub })}`;
const BODY = ['content-type: application/json', 'content-length: 10000'];
const post = (path: string, ...headers: string[]): string => requestHead(`POST ${path}`, ...headers);

/** The answer to a head without a body. */
const answered = async (address: string, head: string): Promise<number> => {
  const line = await openRawConnection(address);
  line.socket.write(head);
  const status = await firstStatus(line);
  line.socket.destroy();
  return status;
};

describe('Before any byte of its body is read, a request is refused', () => {
  it('in the order token, role, limit, length, without a message on the bus', async () => {
    const address = await gatewayWith({ RATE_LIMIT: '1' });
    const long = ['content-type: application/json', 'content-length: 2000000'];
    expect(await answered(address, post(PACKAGES, ...BODY))).toBe(401);
    expect(await answered(address, post(PACKAGES, 'authorization: Bearer x', ...long))).toBe(401);
    expect(await answered(address, post(PACKAGES, tokenOf('STUDENT'), ...long))).toBe(403);
    // A caller without the role is not counted.
    expect(await answered(address, post(PACKAGES, tokenOf('STUDENT'), ...long))).toBe(403);
    expect(await answered(address, post(PACKAGES, tokenOf('TEACHER', 'lo'), ...long))).toBe(413);
    expect(await answered(address, post(PACKAGES, tokenOf('TEACHER', 'lo'), ...long))).toBe(429);
    expect(await answered(address, post('/api/v1/nowhere', tokenOf('TEACHER'), ...BODY))).toBe(404);
    expect(await answered(address, requestHead(`PUT ${PACKAGES}`, ...BODY))).toBe(405);
    const right = createApi(address, `Bearer ${fixture.token({ role: 'TEACHER', sub: 'hi' })}`);
    expect((await right.outcome(packageCalls.createPackage, { body: { title: 'x' } })).code).toBe('unavailable');
  });

  it('when it is longer than announced or longer than allowed', async () => {
    const line = await openRawConnection(fixture.address);
    line.socket.write(
      post(PACKAGES, tokenOf('TEACHER'), 'content-type: application/json', 'transfer-encoding: chunked'),
    );
    const chunk = 'x'.repeat(100_000);
    // The request is never completed, and answered nevertheless.
    for (let sent = 0; sent < 11; sent += 1) line.socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    expect(await firstStatus(line)).toBe(413);
    line.socket.destroy();
  });
});

it('a connection holds no listeners of uploads that were refused on it', async () => {
  const kept: Error[] = [];
  const keep = (warning: Error): void => void kept.push(warning);
  process.on('warning', keep);
  const line = await openRawConnection(fixture.address);
  // Node warns about the eleventh listener of a kind.
  for (let sent = 1; sent <= 15; sent += 1) {
    line.socket.write(post(PACKAGES, 'content-type: application/json', 'content-length: 9'));
    const isAnswered = () => line.text().match(/HTTP\/1\.1 401/g)?.length === sent;
    while (!isAnswered()) await once(line.socket, 'data');
    line.socket.write('{"a": 1 }');
  }
  line.socket.write(requestHead('GET /health/live'));
  while (!line.text().includes('200 OK')) await once(line.socket, 'data');
  process.off('warning', keep);
  line.socket.destroy();
  expect(kept).toEqual([]);
});

it('a connection ends behind the refusal of a long body, which is not awaited', async () => {
  const line = await openRawConnection(fixture.address);
  line.socket.write(post(PACKAGES, 'content-type: application/json', 'content-length: 300000'));
  line.socket.write('x'.repeat(300_000));
  await line.ended;
  expect(line.text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
});

describe('A body', () => {
  const SMALL = `${PACKAGES}/publish/${'0'.repeat(8)}-0000-0000-0000-000000000000`;
  const json = (length: number): string[] => ['content-type: application/json', `content-length: ${length}`];

  it.each([
    ['a call with a small limit', SMALL, 16_384],
    ['a call with long texts', PACKAGES, 65_536],
    ['a call with a list', `${PACKAGES}/item/sync`, 1_048_576],
  ])('may be as long as its call allows: %s', async (_what, path, most) => {
    const supervisor = `authorization: Bearer ${fixture.token({ role: 'SUPERVISOR' })}`;
    expect(await answered(fixture.address, post(path, supervisor, ...json(most + 1)))).toBe(413);
    const right = `${post(path, supervisor, ...json(most))}{"x":"${'x'.repeat(most - 8)}"}`;
    expect(await answered(fixture.address, right)).toBe(503);
    // Without a Content-Length its bytes are counted.
    const chunked = post(path, supervisor, 'content-type: application/json', 'transfer-encoding: chunked');
    const chunk = `${(most + 1).toString(16)}\r\n${'x'.repeat(most + 1)}\r\n`;
    expect(await answered(fixture.address, chunked + chunk)).toBe(413);
  });
});

it('every answer has the configured Strict-Transport-Security header', async () => {
  const address = await gatewayWith({ HSTS: 'max-age=300' });
  for (const head of [requestHead('GET /health/live'), requestHead('GET /nowhere'), 'x\r\n\r\n']) {
    const line = await openRawConnection(address);
    line.socket.write(head);
    await firstStatus(line);
    expect(line.text()).toContain('strict-transport-security: max-age=300\r\n');
    line.socket.destroy();
  }
});

describe('A slow client is disconnected', () => {
  const SHORT = { HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '300' };

  it.each([
    ['that sends nothing', () => '', 408],
    ['that does not end its headers', () => `GET ${PACKAGES} HTTP/1.1\r\nhost: here\r\nx-a: `, 408],
    ['that does not end its body', () => `${post(PACKAGES, tokenOf('TEACHER'), ...BODY)}{"title":`, 408],
    ['that was refused and continues to send', () => `${post(PACKAGES, ...BODY)}{"title":`, 401],
  ])('on a connection %s', async (_what, bytes, status) => {
    const line = await openRawConnection(await gatewayWith(SHORT));
    line.socket.write(bytes());
    await line.ended;
    // One answer, and nothing after it.
    expect(line.text().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    if (status === 408) expect(line.text()).toContain('"code":"request_timeout"');
  });
});

describe('The connections of one address', () => {
  const isOpen = async (line: RawConnection): Promise<boolean> => {
    line.socket.write(requestHead('GET /health/live'));
    return (await Promise.race([firstStatus(line), line.ended])) === 200;
  };

  it('are closed beyond the limit, and accepted again when others end', async () => {
    const address = await gatewayWith({ MAX_CONNECTIONS_PER_ADDRESS: '2' });
    const [one, other] = [await openRawConnection(address), await openRawConnection(address)];
    expect([await isOpen(one), await isOpen(other)]).toEqual([true, true]);
    await (
      await openRawConnection(address)
    ).ended;
    one.socket.destroy();
    await one.ended;
    await expect.poll(async () => isOpen(await openRawConnection(address))).toBe(true);
    expect(await isOpen(other)).toBe(true);
  });

  it('are not limited when the address is a trusted proxy', async () => {
    const address = await gatewayWith({ MAX_CONNECTIONS_PER_ADDRESS: '2', TRUST_PROXY: 'loopback' });
    const lines = [
      await openRawConnection(address),
      await openRawConnection(address),
      await openRawConnection(address),
    ];
    for (const line of lines) expect(await isOpen(line)).toBe(true);
  });
});

it('headers may be as large as configured and no larger', async () => {
  const address = await gatewayWith({ MAX_HEADER_BYTES: '4096' });
  const get = (bytes: number) => answered(address, requestHead('GET /health/live', `x-a: ${'x'.repeat(bytes)}`));
  expect([await get(3_000), await get(5_000)]).toEqual([200, 431]);
});

describe('An address', () => {
  const LIMIT = 4;
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const tries = async (address: string, path: string, authorization: string | undefined, headers = {}) => {
    const answers = [];
    for (let n = 0; n <= LIMIT; n += 1) answers.push(await createApi(address, authorization).get(path, headers));
    return answers.map(({ status }) => status);
  };
  const upTo = (status: number) => [...Array.from({ length: LIMIT }, () => status), 429];

  it('gets 429 after too many bad tokens; valid, expired and missing ones are answered as before', async () => {
    const address = await gatewayWith({ FAILURE_LIMIT: String(LIMIT) });
    expect(await tries(address, '/clazz/course-package/list/my', 'Bearer no.such.token')).toEqual(upTo(401));
    const last = await createApi(address, 'Bearer x').refused(packageCalls.listMyPackages);
    expect([last.code, last.status]).toEqual(['rate_limited', 429]);
    // A forwarded address in its own header changes nothing.
    const elsewhere = await createApi(address, 'Bearer x').get('/clazz/course-package/list/my', from('192.0.2.1'));
    expect([elsewhere.status, Number(elsewhere.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const codeFor = async (authorization: string | undefined) =>
      (await createApi(address, authorization).outcome(packageCalls.listMyPackages)).code;
    expect(await codeFor(`Bearer ${fixture.token({ role: 'TEACHER' })}`)).toBe('unavailable');
    expect(await codeFor(`Bearer ${fixture.token({ role: 'TEACHER', ttlSeconds: -3_600 })}`)).toBe('unauthenticated');
    expect(await codeFor(undefined)).toBe('unauthenticated');
  });

  it('gets 429 after too many unknown paths, unless it sends a valid token', async () => {
    const address = await gatewayWith({ FAILURE_LIMIT: String(LIMIT) });
    expect(await tries(address, '//secret/backup.zip', undefined)).toEqual(upTo(404));
    const good = `Bearer ${fixture.token({ role: 'TEACHER' })}`;
    expect(await tries(address, '//secret/backup.zip', good)).toEqual(Array.from({ length: LIMIT + 1 }, () => 404));
    expect(await tries(address, '//health/live', undefined)).toEqual(Array.from({ length: LIMIT + 1 }, () => 200));
  });

  it('is reported by a trusted proxy; a /64 of IPv6 counts as one address', async () => {
    const address = await gatewayWith({ FAILURE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1' });
    const bad = (headers: Record<string, string>) =>
      tries(address, '/clazz/course-package/list/my', 'Bearer x', headers);
    expect(await bad(from('192.0.2.1'))).toEqual(upTo(401));
    expect(await bad(from('192.0.2.2'))).toEqual(upTo(401));
    expect(await bad(from('2001:db8:0:1::1'))).toEqual(upTo(401));
    expect((await bad(from('2001:db8:0:1::2')))[0]).toBe(429);
    expect(await bad(from('2001:db8:0:2::1'))).toEqual(upTo(401));
    // Entries before the one of the proxy come from the caller.
    expect((await bad(from('198.51.100.7, 192.0.2.1')))[0]).toBe(429);
  });

  describe('beyond the failure limit', () => {
    const HOLD = { FAILURE_LIMIT: String(LIMIT), HOLD_BACK_MS: '10000' };
    const LIST = '/api/v1/clazz/course-package/list/my';
    const bearer = (token: string) => `authorization: Bearer ${token}`;
    const spend = async (address: string) => {
      for (let n = 0; n < LIMIT; n += 1)
        expect(await answered(address, requestHead(`GET ${LIST}`, bearer('x')))).toBe(401);
    };
    const ask = async (address: string, ...head: Parameters<typeof requestHead>): Promise<RawConnection> => {
      const line = await openRawConnection(address);
      line.socket.write(requestHead(...head));
      return line;
    };

    it('is delayed on every attempt; a cached token is not delayed', async () => {
      const address = await gatewayWith(HOLD);
      const known = bearer(fixture.token({ role: 'TEACHER', sub: 'known' }));
      expect(await answered(address, requestHead(`GET ${LIST}`, known))).toBe(503);
      await spend(address);
      const lines = await Promise.all([
        ask(address, `GET ${LIST}`, bearer('x')),
        ask(address, `GET ${LIST}`, bearer(fixture.token({ role: 'TEACHER', sub: 'new' }))),
        ask(address, 'GET /nowhere'),
        ask(address, 'GET /api/v1/clazz/calendar/guess.ics'),
      ]);
      // A later request is answered while these still wait.
      expect(await answered(address, requestHead(`GET ${LIST}`, known))).toBe(503);
      expect(await answered(address, requestHead('GET /health/live'))).toBe(200);
      expect(lines.map(({ text }) => text())).toEqual(['', '', '', '']);
      for (const { socket } of lines) socket.destroy();
    });

    it('is delayed also for too many requests to public paths or without a token', async () => {
      const address = await gatewayWith(HOLD);
      for (let n = 0; n < LIMIT - 2; n += 1) expect(await answered(address, requestHead('GET /health/live'))).toBe(200);
      expect(await answered(address, requestHead(`GET ${LIST}`))).toBe(401);
      expect(await answered(address, requestHead('DELETE /health/live'))).toBe(405);
      const lines = await Promise.all([
        ask(address, 'GET /health/ready'),
        ask(address, `GET ${LIST}`),
        ask(address, `GET ${LIST}`, bearer(fixture.token({ role: 'TEACHER', ttlSeconds: -3_600 }))),
        ask(address, 'DELETE /docs'),
        ask(address, 'GET /openapi.json'),
      ]);
      // Its failure limit is not used up.
      expect(await answered(address, requestHead('GET /nowhere'))).toBe(404);
      expect(lines.map(({ text }) => text())).toEqual(['', '', '', '', '']);
      for (const { socket } of lines) socket.destroy();
    });

    it('is still answered', async () => {
      const address = await gatewayWith({ ...HOLD, HOLD_BACK_MS: '1' });
      await spend(address);
      expect(await answered(address, requestHead(`GET ${LIST}`, bearer('x')))).toBe(429);
      const good = bearer(fixture.token({ role: 'TEACHER', sub: 'good' }));
      expect(await answered(address, requestHead(`GET ${LIST}`, good))).toBe(503);
    });
  });
});

it('a connection with too many requests at once is closed after the answers to those it accepted', async () => {
  const address = await gatewayWith({ FAILURE_LIMIT: '1', HOLD_BACK_MS: '10' });
  const line = await openRawConnection(address);
  line.socket.write(requestHead('GET /nowhere').repeat(100));
  await line.ended;
  expect([...line.text().matchAll(/HTTP\/1\.1 (\d{3})/g)]).toHaveLength(17);
  const few = await openRawConnection(address);
  few.socket.write(requestHead('GET /health/live').repeat(1));
  expect(await firstStatus(few)).toBe(200);
});
