import { packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

const LIMIT = 20;
let fixture: Fixture;
const { teacher } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({
    services: ['package'],
    env: { RATE_LIMIT: String(LIMIT), CALL_TIMEOUT_MS: '2000', CORS_ORIGINS: 'https://console.example' },
  });
});
afterAll(() => fixture?.stop());

describe('The gateway', () => {
  it('reports the remaining limit, and answers 429 with Retry-After beyond it', async () => {
    const greedy = teacher('greedy');
    const first = await greedy.answer(packageCalls.listMyPackages);
    expect(first.headers.get('ratelimit-policy')).toBe(`"user";q=${LIMIT};w=60, "org";q=${10 * LIMIT};w=60`);
    expect(first.headers.get('ratelimit')).toMatch(/^"user";r=19;t=\d+, "org";r=199;t=\d+$/);
    const outcomes = await Promise.all(
      Array.from({ length: LIMIT }, () => greedy.outcome(packageCalls.listMyPackages)),
    );
    const limited = outcomes.filter(({ code }) => code !== 'done');
    expect(limited.map(({ code }) => code)).toEqual(['rate_limited']);
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    await teacher('modest').ok(packageCalls.listMyPackages);
  });

  it('answers 504 when a call takes too long, and the write is stored completely or not at all', async () => {
    const slow = teacher('slow');
    const { id } = await slow.ok(packageCalls.createPackage, { body: { title: 'locked' } });
    const holder = new pg.Client({ connectionString: fixture.adminUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from package.course_package where id = $1 for update', [id]);
    const late = await slow.refused(packageCalls.updatePackage, { path: { id }, body: { title: 'late' } });
    expect(late.code).toBe('outcome_unknown');
    await holder.query('rollback');
    await holder.end();
    // The client no longer waited, so the service cancelled the write before storing it.
    expect((await slow.ok(packageCalls.getPackage, { path: { id } })).title).toBe('locked');
    await slow.ok(packageCalls.updatePackage, { path: { id }, body: { title: 'again' } });
  });

  it('allows browser calls only from the configured origins', async () => {
    const asks = { 'access-control-request-method': 'GET' };
    const from = (origin: string) =>
      fixture.raw().send('OPTIONS', '/clazz/course-package/list/my', undefined, { origin, ...asks });
    const known = await from('https://console.example');
    expect(known.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect((await from('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('500 parallel requests of one user are accepted by default', async () => {
  // The fixture's limit is far higher; an empty value selects the default of the gateway.
  const roomy = await startFixture({ services: ['package'], env: { RATE_LIMIT: '' } });
  try {
    const teacher = roomy.as({ role: 'TEACHER' });
    const [first] = await Promise.all(Array.from({ length: 500 }, () => teacher.answer(packageCalls.listMyPackages)));
    expect(first?.headers.get('ratelimit-policy')).toBe('"user";q=6000;w=60, "org";q=60000;w=60');
    /** A busy machine refuses requests that it could not answer in time; those are repeated. */
    const create = async (n: number): Promise<string> => {
      const { code } = await teacher.outcome(packageCalls.createPackage, { body: { title: `p${n}` } });
      return code === 'unavailable' ? create(n) : code;
    };
    const codes = await Promise.all(Array.from({ length: 500 }, (_, n) => create(n)));
    expect(new Set(codes)).toEqual(new Set(['done']));
  } finally {
    await roomy.stop();
  }
});

it('a busy service refuses further calls at once, and the documents can be switched off', async () => {
  const narrow = await startFixture({ services: ['package'], env: { CONCURRENCY: '1', DOCS: 'false' } });
  const holder = new pg.Client({ connectionString: narrow.adminUrl });
  try {
    const one = narrow.as({ role: 'TEACHER' });
    const { id } = await one.ok(packageCalls.createPackage, { body: { title: 'held' } });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from package.course_package where id = $1 for update', [id]);
    // One call runs and eight may wait; further calls are refused while these wait.
    const change = { path: { id }, body: { title: 'changed' } };
    const sent = Array.from({ length: 12 }, () => one.outcome(packageCalls.updatePackage, change));
    const first = await Promise.any(sent);
    expect([first.code, first.headers.get('retry-after')]).toEqual(['unavailable', '1']);
    await holder.query('rollback');
    const codes = (await Promise.all(sent)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'unavailable')).toHaveLength(3);
    expect(codes.filter((code) => code === 'done')).toHaveLength(9);
    expect((await narrow.raw().get('//openapi.json')).status).toBe(404);
  } finally {
    await holder.end();
    await narrow.stop();
  }
});
