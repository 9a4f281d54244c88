import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { openRawConnection, type RawConnection, requestHead } from './raw-http.ts';

const TYPE = 'content-type: application/json';
const PACKAGES = '/api/v1/clazz/course-package';
let fixture: Fixture;
let gateway: RunningGateway;
let authorization = '';
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  gateway = await startGateway(fixture);
  authorization = `authorization: Bearer ${fixture.token({ role: 'TEACHER', org: randomUUID() })}`;
});
afterAll(async () => {
  await gateway?.stop();
  await fixture?.stop();
});

const LIVE = requestHead('GET /health/live');
const list = (id: string): string => requestHead(`GET ${PACKAGES}/list/my`, authorization, `x-request-id: ${id}`);
const send = async (...segments: string[]): Promise<RawConnection> => {
  const line = await openRawConnection(gateway.address);
  line.socket.setNoDelay();
  for (const segment of segments) await new Promise((resolve) => line.socket.write(segment, resolve));
  return line;
};
const statusesOf = async (line: RawConnection): Promise<number[]> => {
  await line.ended;
  return [...line.text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
};
const times = (count: number, status = 200): number[] => Array.from({ length: count }, () => status);
const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

/** A package whose changes wait until `release`. */
const lockedPackage = async () => {
  const api = createApi(gateway.address, authorization.slice('authorization: '.length));
  const { id } = await api.ok(packageCalls.createPackage, { body: { title: 'held' } });
  const holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select 1 from package.course_package where id = $1 for update', [id]);
  const body = '{"title":"changed"}';
  const headers = [authorization, TYPE, `content-length: ${body.length}`];
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  return {
    change: requestHead(`PATCH ${PACKAGES}/${id}`, ...headers) + body,
    isWaiting: () => expect.poll(async () => (await fixture.sql(waiting)).length, { interval: 10 }).toBeGreaterThan(0),
    release: () => holder.end(),
  };
};

describe('requests sent ahead on one connection', () => {
  it('are all answered in order up to the limit, and the connection stays open', async () => {
    const sent = ids(16);
    const line = await send(sent.map(list).join(''));
    await expect.poll(() => line.text().match(/HTTP\/1\.1 200/g)?.length).toBe(16);
    expect([...line.text().matchAll(/x-request-id: (\S+)/g)].map(([, id]) => id)).toEqual(sent);
    line.socket.write(list(randomUUID()));
    await once(line.socket, 'data');
    line.socket.destroy();
  });

  it.each([
    ['in one segment', (all: string[]) => [all.join('')]],
    ['one by one', (all: string[]) => all],
    ['in segments that end inside a request', (all: string[]) => all.join('').match(/[^]{1,700}/g) ?? []],
  ])('beyond the limit are refused after the answers to the others, %s', async (_how, segments) => {
    const { change, isWaiting, release } = await lockedPackage();
    const line = await send(change);
    await isWaiting();
    const sent = ids(60);
    for (const segment of segments(sent.map(list))) line.socket.write(segment);
    await release();
    expect(await statusesOf(line)).toEqual([...times(16), 503]);
    const found = [...line.text().matchAll(/x-request-id: (\S+)/g)].map(([, id]) => id);
    expect(found.slice(1, 16)).toEqual(sent.slice(0, 15));
    expect(line.text().slice(line.text().lastIndexOf('HTTP/1.1'))).toMatch(/retry-after: 1\r\nconnection: close\r\n/);
    expect(await line.ended).toEqual([false]);
  });

  it('count if their URL cannot be routed', async () => {
    const { change, isWaiting, release } = await lockedPackage();
    const line = await send(change);
    await isWaiting();
    line.socket.write(requestHead('GET /%zz').repeat(40));
    await release();
    expect(await statusesOf(line)).toEqual([200, ...times(15, 400), 503]);
  });

  it('stay allowed after many URLs that cannot be routed', async () => {
    const line = await send();
    for (let count = 1; count <= 20; count += 1) {
      line.socket.write(requestHead('GET /%zz'));
      await expect.poll(() => line.text().match(/HTTP\/1\.1 400/g)?.length).toBe(count);
    }
    line.socket.destroy();
  });

  it('beyond the limit are not performed', async () => {
    const { change, isWaiting, release } = await lockedPackage();
    const org = randomUUID();
    const token = fixture.token({ role: 'TEACHER', org });
    const body = '{"title":"one of many"}';
    const headers = [TYPE, `content-length: ${body.length}`];
    const create = requestHead(`POST ${PACKAGES}`, `authorization: Bearer ${token}`, ...headers) + body;
    const line = await send(change);
    await isWaiting();
    line.socket.write(create.repeat(40));
    await release();
    expect(await statusesOf(line)).toEqual([200, ...times(15, 201), 503]);
    const { items } = await createApi(gateway.address, `Bearer ${token}`).ok(packageCalls.listMyPackages, {
      query: { limit: '100' },
    });
    expect(items).toHaveLength(15);
  });

  it.each([
    ['bytes that are no request', 'nonsense\r\n\r\n'],
    ['a request with a broken body', `${requestHead(`POST ${PACKAGES}`, 'transfer-encoding: chunked')}zz\r\n`],
  ])('are answered before %s', async (_what, rest) => {
    const { change, isWaiting, release } = await lockedPackage();
    const line = await send(change + LIVE, rest.replace('host: here', `host: here\r\n${TYPE}\r\n${authorization}`));
    await isWaiting();
    await release();
    expect(await statusesOf(line)).toEqual([200, 200, 400]);
  });

  it('are answered while the gateway drains, and the last answer closes the connection', async () => {
    const draining = await startGateway(fixture, { DRAIN_MS: '0' });
    const { change, isWaiting, release } = await lockedPackage();
    const line = await openRawConnection(draining.address);
    line.socket.write(change.repeat(3));
    await isWaiting();
    const stopped = draining.stop();
    await release();
    expect(await statusesOf(line)).toEqual(times(3));
    expect(line.text().match(/^connection: close/gm)).toHaveLength(1);
    expect(line.text().lastIndexOf('connection: close')).toBeGreaterThan(line.text().lastIndexOf('HTTP/1.1'));
    await stopped;
  });
});
