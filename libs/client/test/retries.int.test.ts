import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Client, type ClientOptions, createClient, NoAnswerError } from '../src/index.ts';

type Act = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let base_url: string;
/** What the server does with each request in turn; the last for all that follow. */
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

describe('a call that may do better the next time', () => {
  it.each([
    ['an overloaded service', refuse(503, 'unavailable', NOW)],
    ['too many requests', refuse(429, 'rate_limited', NOW)],
    ['a proxy without a server', refuse(502, 'unknown')],
    ['an answer that takes too long', refuse(504, 'timeout')],
    ['a connection that breaks', reset],
    ['an answer that breaks off', breakOff],
  ])('is read again after %s', async (_what, act) => {
    acts = [act, act, listed];
    expect((await read()).data).toEqual({ items: [], next_cursor: null });
    expect(asked).toHaveLength(3);
    // What was valid at the first try may not be any more.
    expect(asked.map(({ token }) => token)).toEqual(['Bearer t0', 'Bearer t1', 'Bearer t2']);
    expect(keys()).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['an overloaded service', refuse(503, 'unavailable', NOW)],
    ['an unknown outcome', refuse(504, 'outcome_unknown')],
    ['its first try, which is still running', refuse(409, 'idempotency_in_flight')],
    ['a connection that breaks', reset],
  ])('is written again under the same key after %s', async (_what, act) => {
    acts = [act, act, removed];
    expect((await write()).status).toBe(204);
    expect(asked).toHaveLength(3);
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys()).size).toBe(1);
  });

  it('has a key of its own for each write, unless the caller gives one', async () => {
    acts = [removed];
    await write();
    await write();
    await write(client(), { idempotency_key: 'mine' });
    expect(new Set(keys()).size).toBe(3);
    expect(keys()[2]).toBe('mine');
  });

  it('is tried again when nothing comes for too long', async () => {
    acts = [never, listed];
    await read(client({ try_ms: 1_000 }));
    expect(asked).toHaveLength(2);
  });

  it('is tried again when nobody listens', async () => {
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

describe('a call is not repeated', () => {
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

  it('more often than allowed', async () => {
    acts = [refuse(503, 'unavailable', NOW)];
    await expect(write(client({ tries: 4 }))).rejects.toMatchObject({ status: 503, retry_after_ms: 0 });
    expect(asked).toHaveLength(4);
    acts = [reset];
    await expect(read(client({ tries: 2 }))).rejects.toThrow(NoAnswerError);
    expect(asked).toHaveLength(6);
  });

  it('when the answer asks for a longer pause than there is time', async () => {
    acts = [refuse(503, 'unavailable', { 'retry-after': '60' })];
    await expect(read()).rejects.toMatchObject({ status: 503, retry_after_ms: 60_000 });
    expect(asked).toHaveLength(1);
  });

  it('when that is switched off', async () => {
    acts = [refuse(503, 'unavailable', NOW)];
    await expect(read(client(false))).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
  });

  it('after its answer could not be understood', async () => {
    acts = [(response) => response.end('{"items":7}')];
    await expect(read()).rejects.toMatchObject({ name: 'ZodError' });
    expect(asked).toHaveLength(1);
  });

  it('when its caller has given up, in a pause or while it waits', async () => {
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
