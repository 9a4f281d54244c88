import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';

let fixture: Fixture;
let gateway: RunningGateway;
let holder: pg.Client;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
  gateway = await startGateway(fixture, { MAX_PENDING: '4', CALL_TIMEOUT_MS: '20000' });
});
afterAll(async () => {
  await gateway?.stop();
  await fixture?.stop();
});
beforeEach(async () => {
  holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  await holder.query('begin');
});
afterEach(() => holder.end());

/** A caller of an organization with a locked package: every change of the package waits. */
interface Waiter {
  api: Api;
  token: string;
  id: string;
}
const waiterOf = async (): Promise<Waiter> => {
  const token = fixture.token({ role: 'TEACHER', org: randomUUID() });
  const api = createApi(gateway.address, `Bearer ${token}`);
  const { id } = await api.ok(packageCalls.createPackage, { body: { title: 'held' } });
  await holder.query('select 1 from package.course_package where id = $1 for update', [id]);
  return { api, token, id };
};
const change = ({ api, id }: Waiter) =>
  api.outcome(packageCalls.updatePackage, { path: { id }, body: { title: 'changed' } });
/** While the others wait, an answered request was refused. */
const refusal = async (outcomes: ReturnType<typeof change>[]) => {
  const { code, headers } = await Promise.any(outcomes);
  return [code, headers.get('retry-after')];
};
const codesOf = async (outcomes: ReturnType<typeof change>[]): Promise<string[]> =>
  (await Promise.all(outcomes)).map(({ code }) => code).toSorted();

const LOCKED = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
const lockedOut = async (): Promise<number> => (await fixture.sql(LOCKED)).length;
const waitingAre = (count: number) => expect.poll(lockedOut, { interval: 10 }).toBe(count);

describe('A gateway with many calls in progress', () => {
  it('refuses an organization beyond half of its places, and serves others', async () => {
    const [one, other] = [await waiterOf(), await waiterOf()];
    const ours = Array.from({ length: 5 }, () => change(one));
    expect(await refusal(ours)).toEqual(['unavailable', '1']);
    await waitingAre(2);
    const theirs = [change(other), change(other)];
    await waitingAre(4);
    await holder.query('rollback');
    expect(await codesOf(ours)).toEqual(['done', 'done', 'unavailable', 'unavailable', 'unavailable']);
    expect(await codesOf(theirs)).toEqual(['done', 'done']);
  });

  it('refuses every call when it is full, before its body arrives, and still answers health requests', async () => {
    const [one, other] = [await waiterOf(), await waiterOf()];
    const outcomes = [change(one), change(one), change(other), change(other)];
    await waitingAre(4);
    const asked = request(`${gateway.address}/api/v1/clazz/course-package`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 1_000_000 },
    });
    asked.flushHeaders();
    const [answer] = await once(asked, 'response');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    asked.destroy();
    const open = createApi(gateway.address, undefined);
    expect((await open.get('//health/live')).status).toBe(200);
    expect((await open.get('//docs')).status).toBe(200);
    await holder.query('rollback');
    expect(await codesOf(outcomes)).toEqual(['done', 'done', 'done', 'done']);
    // All places are free again.
    expect(await codesOf([change(one), change(one)])).toEqual(['done', 'done']);
  });

  it('frees the place of a client that disconnected', async () => {
    const one = await waiterOf();
    const staying = change(one);
    const leaving = new AbortController();
    const left = fetch(`${gateway.address}/api/v1/clazz/course-package/${one.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
      body: '{"title":"changed"}',
      signal: leaving.signal,
    }).catch((error: unknown) => error);
    await waitingAre(2);
    expect((await change(one)).code).toBe('unavailable');
    leaving.abort();
    await left;
    // Accepted once the gateway has noticed it; then it waits like the other call.
    const isTaken = async (): Promise<boolean> => {
      const codes: string[] = [];
      void change(one).then(({ code }) => codes.push(code));
      while (codes.length === 0) if ((await lockedOut()) === 3) return true;
      return false;
    };
    await expect.poll(isTaken).toBe(true);
    await holder.query('rollback');
    expect((await staying).code).toBe('done');
  });
});
