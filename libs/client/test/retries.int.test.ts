import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Client, type ClientOptions, createClient, NoAnswerError } from '../src/index.ts';

type Act = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let base_url: string;
/** The actions of the server, one for each request. The last action repeats. */
let acts: Act[];
let asked: { method: string | undefined; key: unknown; token: unknown }[];

beforeEach(async () => {
  acts = [];
  asked = [];
  server = createServer((request, response) => {
    const { method, headers } = request;
    asked.push({ method, key: headers['idempotency-key'], token: headers.authorization });
    request.resume().on('end', () => (acts.length > 1 ? acts.shift() : acts[0])?.(response, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base_url = `http://127.0.0.1:${z.object({ port: z.int() }).parse(server.address()).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const NOW = { 'retry-after': '0' };
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Act =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ code }));
const listed: Act = (response) => response.end('{"items":[],"next_cursor":null}');
const removed: Act = (response) => response.writeHead(204).end();
const reset: Act = (response) => response.socket?.resetAndDestroy();
const breakOff: Act = (response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{"items":[');
  setImmediate(() => response.destroy());
};
const never: Act = () => {};

const client = (repeat: ClientOptions['repeat'] = {}): Client =>
  createClient({
    base_url,
    token: () => `t${asked.length}`,
    repeat: repeat === false ? false : { pause_ms: 1, ...repeat },
  });
const read = (by = client(), options = {}) => by.listMyPackages({}, options);
const write = (by = client(), options = {}) => by.deletePackage({ path: { id: 'x' } }, options);
const keys = (): unknown[] => asked.map(({ key }) => key);

describe('A call with a temporary error', () => {
  it.each([
    ['503 unavailable', refuse(503, 'unavailable', NOW)],
    ['429 rate_limited', refuse(429, 'rate_limited', NOW)],
    ['502 of a proxy', refuse(502, 'unknown')],
    ['504 timeout', refuse(504, 'timeout')],
    ['a broken connection', reset],
    ['an incomplete response', breakOff],
  ])('repeats a read after %s', async (_what, act) => {
    acts = [act, act, listed];
    expect((await read()).data).toEqual({ items: [], next_cursor: null });
    expect(asked).toHaveLength(3);
    // Each attempt gets a new token, because the first one may have expired.
    expect(asked.map(({ token }) => token)).toEqual(['Bearer t0', 'Bearer t1', 'Bearer t2']);
    expect(keys()).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['503 unavailable', refuse(503, 'unavailable', NOW)],
    ['504 outcome_unknown', refuse(504, 'outcome_unknown')],
    ['409 idempotency_in_flight', refuse(409, 'idempotency_in_flight')],
    ['a broken connection', reset],
  ])('repeats a write with the same key after %s', async (_what, act) => {
    acts = [act, act, removed];
    expect((await write()).status).toBe(204);
    expect(asked).toHaveLength(3);
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys()).size).toBe(1);
  });

  it('uses a new key for each write, unless the caller gives one', async () => {
    acts = [removed];
    await write();
    await write();
    await write(client(), { idempotency_key: 'mine' });
    expect(new Set(keys()).size).toBe(3);
    expect(keys()[2]).toBe('mine');
  });

  it('repeats a read when an attempt takes too long', async () => {
    acts = [never, listed];
    await read(client({ try_ms: 1_000 }));
    expect(asked).toHaveLength(2);
  });

  it('repeats a write when the server refuses connections', async () => {
    server.close();
    const { port } = new URL(base_url);
    let failed = 0;
    const send: typeof fetch = async (...request) => {
      try {
        return await fetch(...request);
      } catch (error) {
        failed += 1;
        if (failed === 2) await once(server.listen(Number(port), '127.0.0.1'), 'listening');
        throw error;
      }
    };
    acts = [removed];
    await write(createClient({ base_url, token: 't', fetch: send, repeat: { pause_ms: 1 } }));
    expect([failed, asked.length]).toEqual([2, 1]);
  });
});

describe('A call is not repeated', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'unauthenticated'],
    [404, 'not_found'],
    [409, 'package_published'],
    [412, 'version_mismatch'],
    [422, 'idempotency_mismatch'],
    [500, 'internal'],
  ])('after %i %s', async (status, code) => {
    acts = [refuse(status, code, NOW)];
    await expect(write()).rejects.toMatchObject({ name: 'ApiError', status, code });
    expect(asked).toHaveLength(1);
  });

  it('more often than the maximum number of attempts', async () => {
    acts = [refuse(503, 'unavailable', NOW)];
    await expect(write(client({ tries: 4 }))).rejects.toMatchObject({ status: 503, retry_after_ms: 0 });
    expect(asked).toHaveLength(4);
    acts = [reset];
    await expect(read(client({ tries: 2 }))).rejects.toThrow(NoAnswerError);
    expect(asked).toHaveLength(6);
  });

  it('if Retry-After is longer than the remaining time', async () => {
    acts = [refuse(503, 'unavailable', { 'retry-after': '60' })];
    await expect(read()).rejects.toMatchObject({ status: 503, retry_after_ms: 60_000 });
    expect(asked).toHaveLength(1);
  });

  it('with repeat: false', async () => {
    acts = [refuse(503, 'unavailable', NOW)];
    await expect(read(client(false))).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
  });

  it('after an invalid response', async () => {
    acts = [(response) => response.end('{"items":7}')];
    await expect(read()).rejects.toMatchObject({ name: 'ZodError' });
    expect(asked).toHaveLength(1);
  });

  it('after the caller aborts it, in a pause or during an attempt', async () => {
    const stop = new AbortController();
    const why = new Error('given up');
    acts = [
      (response, request) => {
        refuse(503, 'unavailable', { 'retry-after': '60' })(response, request);
        setTimeout(() => stop.abort(why), 20);
      },
    ];
    await expect(read(client({ total_ms: 100_000 }), { signal: stop.signal })).rejects.toBe(why);
    expect(asked).toHaveLength(1);
    const other = new AbortController();
    acts = [() => other.abort(why)];
    await expect(write(client(), { signal: other.signal })).rejects.toBe(why);
    expect(asked).toHaveLength(2);
  });
});
