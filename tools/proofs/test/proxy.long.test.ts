import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@teaching/local/ports.ts';
import { PROBLEMS } from '@teaching/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Haproxy, startHaproxy } from '../system/haproxy.ts';
import { waitFor } from '../system/poll.ts';

/** Something that answers as a gateway does, and notes what it was asked. */
const fake = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const asked: IncomingMessage[] = [];
  let health: number | 'silent' = 200;
  const server: Server = createServer((request, response) => {
    if (request.url === '/health/ready') {
      if (health !== 'silent') response.writeHead(health).end();
    } else {
      asked.push(request);
      answer(request, response);
    }
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    port,
    asked,
    /** What it answers when it is asked whether it is ready. */
    says: (status: number | 'silent') => void (health = status),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
type Fake = Awaited<ReturnType<typeof fake>>;

const WRITE = { method: 'POST', body: '{}' };
const ToldProblem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.enum(['timeout', 'outcome_unknown']),
});

/** Status and code of a problem that the proxy tells, in the words of gateways. */
const told = async (asking: Promise<Response>): Promise<[number, string]> => {
  const answer = await asking;
  const { headers } = answer;
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['application/problem+json', 'no-store']);
  const { type, title, status, code } = ToldProblem.parse(await answer.json());
  expect([type, status, title]).toEqual([`urn:problem:${code}`, answer.status, PROBLEMS[code][1]]);
  return [status, code];
};

describe('the proxy', () => {
  let gateways: Fake[];
  let proxy: Haproxy;
  let behaves: (request: IncomingMessage, response: ServerResponse) => void;
  const asked = (): IncomingMessage[] => gateways.flatMap((one) => one.asked);
  const ask = (init: RequestInit = {}) => fetch(`${proxy.address}/x`, { signal: AbortSignal.timeout(20_000), ...init });
  /** Waits until the proxy has found out that a gateway is not ready. */
  const left = (gateway: (typeof gateways)[number]): Promise<void> =>
    waitFor(
      'requests go elsewhere',
      async () => {
        const before = gateway.asked.length;
        await Promise.all(Array.from({ length: 6 }, () => ask()));
        return gateway.asked.length === before;
      },
      60_000,
    );
  beforeEach(async () => {
    behaves = (_request, response) => void response.end('fine');
    const pass = (request: IncomingMessage, response: ServerResponse) => behaves(request, response);
    gateways = [await fake(pass), await fake(pass)];
    proxy = await startHaproxy(gateways.map(({ port }) => port));
    await waitFor(
      'both are asked',
      async () => (await ask()).ok && gateways.every((one) => one.asked.length > 0),
      60_000,
    );
    for (const one of gateways) one.asked.length = 0;
  });
  afterEach(async () => {
    await proxy.end();
    for (const one of gateways) one.close();
  });

  it('says where a request comes from, behind what others in front of it said', async () => {
    await ask({ headers: { 'x-forwarded-for': '192.0.2.7' } });
    expect(asked()[0]?.headers['x-forwarded-for']).toMatch(/192\.0\.2\.7.*127\.0\.0\.1$/);
  });

  it('asks nobody who is not ready, and says in our words when that is everybody', async () => {
    const [first, second] = gateways;
    first?.says(503);
    if (first !== undefined) await left(first);
    const before = first?.asked.length;
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(first?.asked.length).toBe(before);
    second?.says(503);
    await waitFor('nobody is asked', async () => (await ask()).status === 503, 60_000);
    const refused = await ask();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ type: 'urn:problem:unavailable', status: 503, code: 'unavailable' });
  });

  it('sends what was perhaps done again only where that does no harm', async () => {
    behaves = (request) => void request.socket.destroy();
    // On a connection that brought others before, too.
    for (let n = 1; n <= 3; n += 1) {
      expect(await told(ask(WRITE))).toEqual([504, 'outcome_unknown']);
      expect(asked()).toHaveLength(n);
    }
    // What is repeated until it was tried often enough may find its connection closed.
    const failed = async (init: RequestInit): Promise<boolean> => (await ask(init).catch(() => undefined))?.ok !== true;
    expect(await failed({ ...WRITE, headers: { 'idempotency-key': randomUUID() } })).toBe(true);
    const keyed = asked().length - 3;
    expect(keyed).toBeGreaterThan(1);
    expect(await failed({})).toBe(true);
    expect(asked().length - 3 - keyed).toBeGreaterThan(1);
  });

  it('repeats reads, and writes under a key, elsewhere when a gateway is lost with them', async () => {
    let lost = 0;
    behaves = (request, response) => {
      if ((lost += 1) === 1) request.socket.destroy();
      else response.end('fine');
    };
    expect((await ask()).status).toBe(200);
    lost = 0;
    expect((await ask({ ...WRITE, headers: { 'idempotency-key': randomUUID() } })).status).toBe(200);
    expect(gateways.map((one) => one.asked.length)).toEqual([2, 2]);
  });

  it('repeats elsewhere, or tells as lost, what a gateway has that says nothing any more', async () => {
    behaves = () => undefined;
    const read = ask();
    await waitFor('one has the read', () => asked().length === 1, 60_000);
    const write = ask(WRITE);
    await waitFor('the other has the write', () => gateways.every((one) => one.asked.length === 1), 60_000);
    const [reader, writer] = gateways.toSorted(
      (a, b) => (a.asked[0]?.method === 'GET' ? -1 : 1) - (b.asked[0]?.method === 'GET' ? -1 : 1),
    );
    behaves = (_request, response) => void response.end('fine');
    reader?.says('silent');
    expect(await (await read).text()).toBe('fine');
    expect([reader?.asked.length, writer?.asked.length]).toEqual([1, 2]);
    reader?.says(200);
    writer?.says('silent');
    expect(await told(write)).toEqual([504, 'outcome_unknown']);
    expect([reader?.asked.length, writer?.asked.length]).toEqual([1, 2]);
  });

  it('lets one that is not ready answer what it has', async () => {
    let answerIt: (() => void) | undefined;
    behaves = (_request, response) => void (answerIt ??= () => response.end('late'));
    const held = ask(WRITE);
    await waitFor('one has it', () => answerIt !== undefined, 60_000);
    const holder = gateways.find((one) => one.asked.length > 0);
    behaves = (_request, response) => void response.end('fine');
    holder?.says(503);
    if (holder !== undefined) await left(holder);
    const before = holder?.asked.length;
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(holder?.asked.length).toBe(before);
    answerIt?.();
    expect(await (await held).text()).toBe('late');
  });

  it('passes an answer on as it comes, however long it takes', async () => {
    let end = (): void => undefined;
    behaves = (_request, response) => {
      response.write('first');
      end = () => response.end('last');
    };
    const reader = (await ask()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    end();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last');
  });
});
