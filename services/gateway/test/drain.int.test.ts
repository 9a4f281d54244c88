import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { startGateway } from './gateway.ts';
import { openRawConnection } from './raw-http.ts';

const LIST = '/api/v1/clazz/course-package/list/my';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const authorization = (): string => `Bearer ${fixture.token({ role: 'TEACHER' })}`;

/** Sends one GET over the connections of an agent, as a proxy does; a failed connection is a failed request. */
const get = async (agent: Agent, address: string, path: string): Promise<IncomingMessage> => {
  const asked = request(address + path, { agent, headers: { authorization: authorization() } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
};

const isReady = async (agent: Agent, address: string): Promise<boolean> =>
  (await get(agent, address, '/health/ready')).statusCode === 200;

describe('A gateway that stops', () => {
  it('fails no request of a proxy that leaves it when it is not ready, and sends `Connection: close`', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const leaving = await startGateway(fixture, { DRAIN_MS: '5000' });
    const staying = await startGateway(fixture);
    const ready = [leaving, staying];
    for (const { address } of ready) await expect.poll(() => isReady(agent, address)).toBe(true);

    const over = new AbortController();
    const seen: [string, number | undefined, string | undefined][] = [];
    const worker = async (n: number): Promise<void> => {
      for (let sent = n; !over.signal.aborted; sent += 1) {
        const { address } = ready[sent % ready.length] ?? staying;
        const { statusCode, headers } = await get(agent, address, LIST);
        seen.push([address, statusCode, headers.connection]);
      }
    };
    const workers = Promise.all(Array.from({ length: 16 }, (_, n) => worker(n)));
    const enough = async (count: number): Promise<void> => {
      const wanted = seen.length + count;
      await expect.poll(() => seen.length, { interval: 10 }).toBeGreaterThan(wanted);
    };
    await enough(200);
    const stopped = leaving.stop();
    // Requests still arrive until the proxy checks readiness.
    const told = () => seen.filter(([address, , connection]) => address === leaving.address && connection === 'close');
    await expect.poll(told, { interval: 10 }).not.toEqual([]);
    while (await isReady(agent, leaving.address));
    ready.shift();
    await stopped;
    await enough(50);
    over.abort();
    await workers;
    expect(seen.filter(([, status]) => status !== 200)).toEqual([]);
    const after = await get(agent, leaving.address, LIST).catch((error: NodeJS.ErrnoException) => error.code);
    expect(after).toBe('ECONNREFUSED');
    agent.destroy();
    await staying.stop();
  });

  it('answers calls in progress and closes idle connections without a reset', async () => {
    const agent = new Agent({ keepAlive: true });
    const gateway = await startGateway(fixture, { DRAIN_MS: '0' });
    const teacher = createApi(gateway.address, authorization());
    const { id } = await teacher.ok(packageCalls.createPackage, { body: { title: 'held' } });
    const holder = new pg.Client({ connectionString: fixture.adminUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from package.course_package where id = $1 for update', [id]);
    const unused = await openRawConnection(gateway.address);
    const used = await openRawConnection(gateway.address);
    used.socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(used.socket, 'data');
    const waiting = teacher.answer(packageCalls.updatePackage, { path: { id }, body: { title: 'changed' } });
    const isWaiting = async (): Promise<boolean> =>
      (
        await fixture.sql(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      ).length > 0;
    await expect.poll(isWaiting).toBe(true);
    const stopped = gateway.stop();
    // A proxy that checks readiness until then gets 503, not a refused connection.
    expect((await get(agent, gateway.address, '/health/ready')).statusCode).toBe(503);
    await holder.query('rollback');
    await holder.end();
    // `false`: no error closed them.
    expect(await unused.ended).toEqual([false]);
    expect(await used.ended).toEqual([false]);
    const { status, headers } = await waiting;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    agent.destroy();
  });

  it('waits for an incomplete request no longer than for an answer', async () => {
    const gateway = await startGateway(fixture, { DRAIN_MS: '0', CALL_TIMEOUT_MS: '100' });
    const slow = await openRawConnection(gateway.address);
    const head = `POST /api/v1/clazz/course-package HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${fixture.token({ role: 'TEACHER' })}`;
    slow.socket.write(`${head}\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n`);
    // The gateway has read its head.
    await expect.poll(slow.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await gateway.stop();
    await slow.ended;
    expect(slow.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });
});
