import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@teaching/local/ports.ts';
import { PROBLEMS } from '@teaching/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Haproxy, startHaproxy } from '../system/haproxy.ts';
import { waitFor } from '../system/poll.ts';

/** A server that answers like a gateway and records its requests. */
const fakeGateway = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const received: IncomingMessage[] = [];
  let health: number | 'silent' = 200;
  const server: Server = createServer((request, response) => {
    if (request.url === '/health/ready') {
      if (health !== 'silent') response.writeHead(health).end();
    } else {
      received.push(request);
      answer(request, response);
    }
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    port,
    asked: received,
    /** Sets the answer of its readiness check. */
    says: (status: number | 'silent') => void (health = status),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
type FakeGateway = Awaited<ReturnType<typeof fakeGateway>>;

const WRITE = { method: 'POST', body: '{}' };
const ProxyProblem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.enum(['timeout', 'outcome_unknown']),
});

/** Status and code of a problem that the proxy returns in the format of gateways. */
const problemOf = async (request: Promise<Response>): Promise<[number, string]> => {
  const answer = await request;
  const { headers } = answer;
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['application/problem+json', 'no-store']);
  const { type, title, status, code } = ProxyProblem.parse(await answer.json());
  expect([type, status, title]).toEqual([`urn:problem:${code}`, answer.status, PROBLEMS[code][1]]);
  return [status, code];
};

describe('The proxy', () => {
  let gateways: FakeGateway[];
  let proxy: Haproxy;
  let behave: (request: IncomingMessage, response: ServerResponse) => void;
  const received = (): IncomingMessage[] => gateways.flatMap((one) => one.asked);
  const ask = (init: RequestInit = {}) => fetch(`${proxy.address}/x`, { signal: AbortSignal.timeout(20_000), ...init });
  /** Waits until the proxy has noticed that a gateway is not ready. */
  const untilUnused = (gateway: (typeof gateways)[number]): Promise<void> =>
    waitFor(
      'the proxy sends no request to the gateway',
      async () => {
        const before = gateway.asked.length;
        await Promise.all(Array.from({ length: 6 }, () => ask()));
        return gateway.asked.length === before;
      },
      60_000,
    );
  beforeEach(async () => {
    behave = (_request, response) => void response.end('fine');
    const pass = (request: IncomingMessage, response: ServerResponse) => behave(request, response);
    gateways = [await fakeGateway(pass), await fakeGateway(pass)];
    proxy = await startHaproxy(gateways.map(({ port }) => port));
    await waitFor(
      'both gateways receive requests',
      async () => (await ask()).ok && gateways.every((one) => one.asked.length > 0),
      60_000,
    );
    for (const one of gateways) one.asked.length = 0;
  });
  afterEach(async () => {
    await proxy.end();
    for (const one of gateways) one.close();
  });

  it('appends the address of the client to x-forwarded-for', async () => {
    await ask({ headers: { 'x-forwarded-for': '192.0.2.7' } });
    expect(received()[0]?.headers['x-forwarded-for']).toMatch(/192\.0\.2\.7.*127\.0\.0\.1$/);
  });

  it('sends no request to a gateway that is not ready, and answers 503 when none is ready', async () => {
    const [first, second] = gateways;
    first?.says(503);
    if (first !== undefined) await untilUnused(first);
    const before = first?.asked.length;
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(first?.asked.length).toBe(before);
    second?.says(503);
    await waitFor('no gateway is used', async () => (await ask()).status === 503, 60_000);
    const refused = await ask();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ type: 'urn:problem:unavailable', status: 503, code: 'unavailable' });
  });

  it('repeats a request with an unknown outcome only when that is safe', async () => {
    behave = (request) => void request.socket.destroy();
    // Also on a connection that was used before.
    for (let n = 1; n <= 3; n += 1) {
      expect(await problemOf(ask(WRITE))).toEqual([504, 'outcome_unknown']);
      expect(received()).toHaveLength(n);
    }
    // A request that failed on every attempt may find its connection closed.
    const failed = async (init: RequestInit): Promise<boolean> => (await ask(init).catch(() => undefined))?.ok !== true;
    expect(await failed({ ...WRITE, headers: { 'idempotency-key': randomUUID() } })).toBe(true);
    const keyed = received().length - 3;
    expect(keyed).toBeGreaterThan(1);
    expect(await failed({})).toBe(true);
    expect(received().length - 3 - keyed).toBeGreaterThan(1);
  });

  it('repeats reads, and writes with a key, on another gateway when a gateway is lost', async () => {
    let lost = 0;
    behave = (request, response) => {
      if ((lost += 1) === 1) request.socket.destroy();
      else response.end('fine');
    };
    expect((await ask()).status).toBe(200);
    lost = 0;
    expect((await ask({ ...WRITE, headers: { 'idempotency-key': randomUUID() } })).status).toBe(200);
    expect(gateways.map((one) => one.asked.length)).toEqual([2, 2]);
  });

  it('repeats a read of an unresponsive gateway on another one, and answers a write with outcome_unknown', async () => {
    behave = () => undefined;
    const read = ask();
    await waitFor('one gateway has the read', () => received().length === 1, 60_000);
    const write = ask(WRITE);
    await waitFor('the other gateway has the write', () => gateways.every((one) => one.asked.length === 1), 60_000);
    const [reader, writer] = gateways.toSorted(
      (a, b) => (a.asked[0]?.method === 'GET' ? -1 : 1) - (b.asked[0]?.method === 'GET' ? -1 : 1),
    );
    behave = (_request, response) => void response.end('fine');
    reader?.says('silent');
    expect(await (await read).text()).toBe('fine');
    expect([reader?.asked.length, writer?.asked.length]).toEqual([1, 2]);
    reader?.says(200);
    writer?.says('silent');
    expect(await problemOf(write)).toEqual([504, 'outcome_unknown']);
    expect([reader?.asked.length, writer?.asked.length]).toEqual([1, 2]);
  });

  it('waits for the running requests of a gateway that is no longer ready', async () => {
    let finish: (() => void) | undefined;
    behave = (_request, response) => void (finish ??= () => response.end('late'));
    const held = ask(WRITE);
    await waitFor('one gateway has the write', () => finish !== undefined, 60_000);
    const holder = gateways.find((one) => one.asked.length > 0);
    behave = (_request, response) => void response.end('fine');
    holder?.says(503);
    if (holder !== undefined) await untilUnused(holder);
    const before = holder?.asked.length;
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(holder?.asked.length).toBe(before);
    finish?.();
    expect(await (await held).text()).toBe('late');
  });

  it('streams an answer while it arrives', async () => {
    let end = (): void => undefined;
    behave = (_request, response) => {
      response.write('first');
      end = () => response.end('last');
    };
    const reader = (await ask()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    end();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last');
  });
});
