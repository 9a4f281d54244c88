import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Env } from '../../../libs/kit/src/index.ts';
import { type Proxy, startProxy } from '../../../tools/proofs/system/tcp-proxy.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { inCheckout, launch } from '../../../tools/proofs/test/run-tool.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import type { RunningGateway } from '../src/main.ts';
import { envOfGateway, startGateway } from './gateway.ts';

const LIMIT = 30;
/** The window is longer than a test, so no unit returns. */
const LIMITS: Env = { RATE_LIMIT: String(LIMIT), RATE_LIMIT_WINDOW_SECONDS: '3600', DRAIN_MS: '0' };
let fixture: Fixture;
const running: RunningGateway[] = [];
const wires: Proxy[] = [];
beforeAll(async () => {
  // No service runs: a counted and accepted request gets 503.
  fixture = await startFixture({ services: [] });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
  await Promise.all(wires.splice(0).map((wire) => wire.close()));
});
afterAll(() => fixture?.stop());

const started = async (env: Env): Promise<string> => {
  const gateway = await startGateway(fixture, { ...LIMITS, ...env });
  running.push(gateway);
  return gateway.address;
};
/** Starts `count` gateways; those of different tests share nothing. */
const several = async (count: number, env: Env = {}): Promise<string[]> => {
  const addresses = [];
  for (let n = 0; n < count; n += 1) addresses.push(await started(env));
  return addresses;
};

interface Caller {
  org?: string;
  sub?: string;
}
const newCaller = (): Caller => ({ sub: randomUUID() });
const askAt = (address: string, caller: Caller) =>
  createApi(address, `Bearer ${fixture.token({ role: 'TEACHER', ...caller })}`).get('/clazz/course-package/list/my');
const passed = (statuses: readonly number[]): number => statuses.filter((status) => status === 503).length;
/** The number of parallel requests that were accepted. */
const burst = async (
  count: number,
  addressOf: (n: number) => string | undefined,
  caller = newCaller(),
): Promise<number> => {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => askAt(addressOf(n) ?? '', caller).then(({ status }) => status)),
  );
  expect(answers.filter((status) => status !== 503 && status !== 429)).toEqual([]);
  return passed(answers);
};

describe('A limit over several gateways', () => {
  it.each([2, 3])('accepts exactly the quota over %i gateways for any distribution of requests', async (count) => {
    const all = await several(count);
    expect(await burst(2 * LIMIT, () => all[0])).toBe(LIMIT);
    expect(await burst(2 * LIMIT, () => all.at(-1))).toBe(LIMIT);
    expect(await burst(2 * LIMIT, (n) => all[n % count])).toBe(LIMIT);
    expect(await burst(2 * LIMIT, (n) => all[n % 5 === 0 ? 0 : count - 1])).toBe(LIMIT);
  });

  it('is reported in each answer, for the user and the organization', async () => {
    const [one = '', other = ''] = await several(2, { ORG_RATE_LIMIT: '40' });
    const caller = newCaller();
    const first = await askAt(one, caller);
    expect(first.headers.get('ratelimit-policy')).toBe('"user";q=30;w=3600, "org";q=40;w=3600');
    expect(first.headers.get('ratelimit')).toMatch(/^"user";r=28;t=\d+, "org";r=38;t=\d+$/);
    await burst(LIMIT, () => other, caller);
    const last = await askAt(one, caller);
    const [, r = '', t = ''] = /^"user";r=(\d+);t=(\d+)/.exec(last.headers.get('ratelimit') ?? '') ?? [];
    expect([last.status, r]).toEqual([429, '0']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(Number(t));
  });

  it('is shared by all users of an organization and separate for others', async () => {
    const [one = '', other = ''] = await several(2, { ORG_RATE_LIMIT: '40' });
    const org = randomUUID();
    const users = Array.from({ length: 8 }, () => ({ org, sub: randomUUID() }));
    const counts = await Promise.all(users.map((user) => burst(10, (n) => (n % 2 === 0 ? one : other), user)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
    const refused = await askAt(one, { org, sub: 'new' });
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, expect.stringContaining('"org";r=0')]);
    // A request that the organization's limit refuses uses no unit of the user.
    expect(refused.headers.get('ratelimit')).toMatch(/^"user";r=30;/);
    expect(await burst(10, () => one, { org: randomUUID(), sub: 'new' })).toBe(10);
  });

  it('counts the cost of a request', async () => {
    const [one = '', other = ''] = await several(2);
    const caller = fixture.token({ role: 'SUPERVISOR', sub: randomUUID() });
    const ask = async (address: string) =>
      (await createApi(address, `Bearer ${caller}`).get('/clazz/stats/org-overview')).status;
    // Ten units each, of fifteen at each gateway: the second and third need units of both.
    expect([await ask(one), await ask(other), await ask(one), await ask(other)]).toEqual([503, 503, 503, 429]);
  });

  it('counts an export as several pages', async () => {
    const [one = ''] = await several(1, { RATE_LIMIT: '200' });
    const api = createApi(one, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
    const page = await api.get('/clazz/audit-log');
    const whole = await api.get('/clazz/audit-log', { accept: 'text/csv' });
    const left = [page, whole].map(({ headers }) => /"user";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    expect([left, whole.status]).toEqual([['199', '149'], 503]);
  });

  it('is shared for the failures of an address', async () => {
    const all = await several(2, { FAILURE_LIMIT: '10' });
    const bad = async (n: number) =>
      (await createApi(all[n % 3 === 0 ? 0 : 1] ?? '', 'Bearer x').get('/clazz/course-package/list/my')).status;
    const statuses = await Promise.all(Array.from({ length: 24 }, (_, n) => bad(n)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  });

  it('is not divided with gateways that have other limits', async () => {
    const [one = ''] = await several(1);
    await several(1, { RATE_LIMIT: '31' });
    const { headers } = await askAt(one, newCaller());
    expect(headers.get('ratelimit')).toMatch(/^"user";r=29;/);
    expect(await burst(LIMIT + 5, () => one)).toBe(LIMIT);
  });
});

describe('A gateway', () => {
  it('that joins gives out no unit that others gave out before', async () => {
    const [one = ''] = await several(1);
    const [spent, half] = [newCaller(), newCaller()];
    expect(await burst(LIMIT + 5, () => one, spent)).toBe(LIMIT);
    expect(await burst(20, () => one, half)).toBe(20);
    const [other = ''] = await several(1);
    expect(await burst(10, () => other, spent)).toBe(0);
    expect(await burst(LIMIT, () => other, half)).toBe(10);
    expect(await burst(2 * LIMIT, () => other)).toBe(LIMIT);
  });

  it('that leaves keeps its share occupied for a window', async () => {
    const all = await several(2);
    await running.pop()?.stop();
    expect(await burst(2 * LIMIT, () => all[0])).toBe(LIMIT / 2);
    // A gateway that replaces it does not know the units that it gave out.
    const [other = ''] = await several(1);
    expect(await burst(2 * LIMIT, () => other)).toBeLessThanOrEqual(LIMIT / 2 + 1);
  });

  /** A gateway in its own process. */
  const inProcess = async () => {
    const { child, out } = launch([inCheckout('services/gateway/src/main.ts')], {
      ...envOfGateway(fixture, { ...LIMITS, LOG_LEVEL: 'info' }),
    });
    const listening = /"address":"([^"]+)"/;
    await expect.poll(out, POLL_OPTIONS).toMatch(listening);
    return { child, address: listening.exec(out())?.[1] ?? '' };
  };

  it('that is killed or paused does not raise the limit or delay requests at others', async () => {
    const [one = '', other = ''] = await several(2);
    const { child, address } = await inProcess();
    expect(await burst(2 * LIMIT, (n) => [one, other, address][n % 3])).toBe(LIMIT);
    child.kill('SIGSTOP');
    const frozen = newCaller();
    expect(await burst(2 * LIMIT, (n) => [one, other][n % 2], frozen)).toBe((2 * LIMIT) / 3);
    child.kill('SIGCONT');
    await expect.poll(() => burst(2 * LIMIT, () => address), POLL_OPTIONS).toBe(LIMIT);
    expect(await burst(LIMIT, (n) => [one, address][n % 2], frozen)).toBeLessThanOrEqual(LIMIT / 3);
    const killed = newCaller();
    const during = burst(2 * LIMIT, (n) => [one, other][n % 2], killed);
    child.kill('SIGKILL');
    const sum = await during;
    expect(sum).toBeGreaterThanOrEqual((2 * LIMIT) / 3);
    expect(sum).toBeLessThanOrEqual(LIMIT);
  });

  it('that loses the others gives out its own share, and their shares stay the same', async () => {
    const port = Number(new URL(fixture.nats.url).port);
    const wire = await startProxy(() => ({ host: '127.0.0.1', port }));
    wires.push(wire);
    const [one = ''] = await several(1);
    const [other = ''] = await several(1, { NATS_URL: `nats://127.0.0.1:${wire.port}` });
    wire.set('half-open');
    expect(await burst(LIMIT, () => one)).toBe(LIMIT / 2);
    const caller = newCaller();
    wire.set('cut');
    expect(await burst(LIMIT, () => other, caller)).toBe(LIMIT / 2);
    wire.set('open');
    await expect.poll(() => burst(1, () => other, caller), POLL_OPTIONS).toBe(1);
    expect(await burst(LIMIT, () => one, caller)).toBe(LIMIT / 2 - 1);
  });
});
