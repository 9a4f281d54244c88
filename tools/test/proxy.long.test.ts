import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@teaching/local/ports.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joined } from '../faults/health.ts';
import { type LiveProxy, startProxyBefore } from '../faults/live-proxy.ts';
import { must, pause } from '../faults/poll.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../faults/system.ts';

/** Something that answers as a gateway does, and notes what it was asked. */
const fake = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const asked: IncomingMessage[] = [];
  let isReady = true;
  const server: Server = createServer((request, response) => {
    if (request.url === '/health/ready') response.writeHead(isReady ? 200 : 503).end();
    else {
      asked.push(request);
      answer(request, response);
    }
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    port,
    asked,
    setReady: (ready: boolean) => void (isReady = ready),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
type Fake = Awaited<ReturnType<typeof fake>>;

describe('the proxy', () => {
  let gateways: Fake[];
  let proxy: LiveProxy;
  let behaves: (request: IncomingMessage, response: ServerResponse) => void;
  const asked = (): IncomingMessage[] => gateways.flatMap((one) => one.asked);
  const ask = (init: RequestInit = {}) => fetch(`${proxy.address}/x`, { signal: AbortSignal.timeout(20_000), ...init });
  beforeEach(async () => {
    behaves = (_request, response) => void response.end('fine');
    const pass = (request: IncomingMessage, response: ServerResponse) => behaves(request, response);
    gateways = [await fake(pass), await fake(pass)];
    proxy = await startProxyBefore(gateways.map(({ port }) => port));
    await must('both are asked', async () => (await ask()).ok && gateways.every((one) => one.asked.length > 0), 15_000);
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
    gateways[0]?.setReady(false);
    await pause(4_000);
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(gateways.map((one) => one.asked.length)).toEqual([0, 20]);
    gateways[1]?.setReady(false);
    await pause(4_000);
    const refused = await ask();
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ type: 'urn:problem:unavailable', status: 503, code: 'unavailable' });
  });

  it('sends what was perhaps done again only where that does no harm', async () => {
    behaves = (request) => void request.socket.destroy();
    // A client whose connection the answer before came on may see it end; another gets a 502.
    const failed = async (init: RequestInit): Promise<boolean> => (await ask(init).catch(() => undefined))?.ok !== true;
    const post = (headers: Record<string, string>) => failed({ method: 'POST', body: '{}', headers });
    expect(await post({})).toBe(true);
    expect(asked()).toHaveLength(1);
    expect(await post({ 'idempotency-key': randomUUID() })).toBe(true);
    const keyed = asked().length - 1;
    expect(keyed).toBeGreaterThan(1);
    expect(await failed({})).toBe(true);
    expect(asked().length - 1 - keyed).toBeGreaterThan(1);
  });

  it('passes an answer on as it comes, however long it takes', async () => {
    behaves = (_request, response) => {
      response.write('first');
      setTimeout(() => response.end('last'), 3_000);
    };
    const reader = (await ask()).body?.getReader();
    const begun = Date.now();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    expect(Date.now() - begun).toBeLessThan(2_500);
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last');
  });
});

describe('two gateways behind the proxy', () => {
  let system: System;
  let proxy: LiveProxy;
  beforeAll(async () => {
    system = await startSystem({
      checkout: OWN_CHECKOUT,
      instances: { gateway: 2 },
      direct: true,
      env: { DRAIN_MS: '3000', TRUST_PROXY: 'loopback' },
    });
    proxy = await startProxyBefore(system.of('gateway').map(({ address }) => Number(new URL(address).port)));
  }, 120_000);
  afterAll(async () => {
    await proxy?.end();
    await system?.end();
  });

  it(
    'are stopped and started one after the other while many ask, and no request fails',
    { timeout: 120_000 },
    async () => {
      const org = randomUUID();
      const headers = { authorization: `Bearer ${system.tokenOf(org)}`, 'content-type': 'application/json' };
      const url = `${proxy.address}/api/v1/clazz`;
      const body = () => JSON.stringify({ name: randomUUID(), lead_teacher_id: 'lee' });
      const seen = new Map<string, number>();
      const stopping = new AbortController();
      const asking = Array.from({ length: 8 }, async (_, n) => {
        while (!stopping.signal.aborted) {
          const sent =
            n % 2 === 0 ? fetch(`${url}?limit=1`, { headers }) : fetch(url, { method: 'POST', headers, body: body() });
          const outcome = await sent.then(async (answer) => (await answer.text(), String(answer.status)), String);
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      });
      try {
        for (const one of system.of('gateway')) {
          await pause(1_000);
          expect(await one.stop(25_000)).toMatchObject({ code: 0 });
          one.start();
          expect(await joined(one, 30_000)).toBe(true);
          await pause(3_000);
        }
      } finally {
        stopping.abort();
        await Promise.all(asking);
      }
      expect([...seen.keys()].toSorted()).toEqual(['200', '201']);
      expect(seen.get('201')).toBeGreaterThan(10);
    },
  );
});
