import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const PACKAGES = '/clazz/course-package';
const LIMIT = 20;
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({
    services: ['package'],
    env: { RATE_LIMIT: String(LIMIT), CALL_TIMEOUT_MS: '1000', CORS_ORIGINS: 'https://console.example' },
  });
});
afterAll(() => fixture?.stop());

describe('the gateway', () => {
  it('tells where a caller stands, and answers 429 with Retry-After beyond the limit', async () => {
    const greedy = fixture.as({ role: 'TEACHER', sub: 'greedy' });
    const first = await greedy.get(`${PACKAGES}/list/my`);
    expect(first.headers.get('ratelimit-policy')).toBe(`"user";q=${LIMIT};w=60`);
    expect(first.headers.get('ratelimit')).toMatch(/^"user";r=19;t=\d+$/);
    const answers = await Promise.all(Array.from({ length: LIMIT }, () => greedy.get(`${PACKAGES}/list/my`)));
    const limited = answers.filter((answer) => answer.status === 429);
    expect(limited).toHaveLength(1);
    expect(limited[0]?.body.code).toBe('rate_limited');
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fixture.as({ role: 'TEACHER', sub: 'modest' }).get(`${PACKAGES}/list/my`)).status).toBe(200);
  });

  it('answers 504 when a call takes too long, and the write then has its effect or none', async () => {
    const teacher = fixture.as({ role: 'TEACHER', sub: 'slow' });
    const { body: it } = await teacher.post(PACKAGES, { title: 'locked' });
    const holder = new pg.Client({ connectionString: fixture.adminUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from package.course_package where id = $1 for update', [it.id]);
    const late = await teacher.patch(`${PACKAGES}/${it.id}`, { title: 'late' });
    expect([late.status, late.body.code]).toEqual([504, 'timeout']);
    await holder.query('rollback');
    await holder.end();
    await expect.poll(async () => (await teacher.get(`${PACKAGES}/${it.id}`)).body.title).toBe('late');
  });

  it('lets the configured origins call from a browser, and no other', async () => {
    const from = (origin: string) =>
      fixture
        .raw()
        .send('OPTIONS', `${PACKAGES}/list/my`, undefined, { origin, 'access-control-request-method': 'GET' });
    const known = await from('https://console.example');
    expect(known.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect((await from('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('500 parallel requests of one user get through by default', async () => {
  // The fixture's limit is far higher; an empty value is the gateway's own.
  const roomy = await startFixture({ services: ['package'], env: { RATE_LIMIT: '' } });
  try {
    const teacher = roomy.as({ role: 'TEACHER' });
    const answers = await Promise.all(Array.from({ length: 500 }, () => teacher.get(`${PACKAGES}/list/my`)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"user";q=6000;w=60');
    const writes = await Promise.all(Array.from({ length: 500 }, (_, n) => teacher.post(PACKAGES, { title: `p${n}` })));
    expect(new Set(writes.map((answer) => answer.status))).toEqual(new Set([201]));
  } finally {
    await roomy.stop();
  }
});
