import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const PACKAGES = '/clazz/course-package';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

const teacher = (sub = 'teacher-1') => fixture.as({ role: 'TEACHER', sub });
const key = (value: string) => ({ 'idempotency-key': value });
const count = async (title: string): Promise<number> =>
  (
    await fixture.sql<{ n: number }>('select count(*)::int as n from package.course_package where title = $1', [title])
  )[0]?.n ?? -1;

describe('Idempotency-Key', () => {
  it('replays the first answer, with its status, ETag and token', async () => {
    const first = await teacher().post(PACKAGES, { title: 'once' }, key('a'));
    const again = await teacher().post(PACKAGES, { title: 'once' }, key('a'));
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(again.headers.get('x-consistency-token')).toBe(first.headers.get('x-consistency-token'));
    expect(await count('once')).toBe(1);
  });

  it('refuses another request under a used key', async () => {
    await teacher().post(PACKAGES, { title: 'one' }, key('b'));
    const other = await teacher().post(PACKAGES, { title: 'two' }, key('b'));
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_mismatch');
    expect(await count('two')).toBe(0);
  });

  it('lets parallel repeats have one effect', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => teacher().post(PACKAGES, { title: 'parallel' }, key('c'))),
    );
    const good = answers.filter((answer) => answer.status === 201);
    const running = answers.filter((answer) => answer.body.code === 'idempotency_in_flight');
    expect(good.length).toBeGreaterThan(0);
    expect(good.length + running.length).toBe(30);
    expect(new Set(good.map((answer) => answer.body.id)).size).toBe(1);
    expect(await count('parallel')).toBe(1);
  });

  it('does not remember a refusal', async () => {
    const { body: it } = await teacher().post(PACKAGES, { title: 'later' });
    expect((await teacher().post(`${PACKAGES}/unpublish/${it.id}`, undefined, key('d'))).status).toBe(409);
    await fixture.sql(
      `insert into package.course_package_item (org_id, id, package_id, course_id, title, hours, position)
       values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'x', 1, 0)`,
      [fixture.org, it.id],
    );
    await teacher().post(`${PACKAGES}/publish/${it.id}`);
    expect((await teacher().post(`${PACKAGES}/unpublish/${it.id}`, undefined, key('d'))).status).toBe(200);
  });

  it('belongs to one user of one org', async () => {
    const mine = await teacher('t-a').post(PACKAGES, { title: 'mine' }, key('e'));
    const yours = await teacher('t-b').post(PACKAGES, { title: 'yours' }, key('e'));
    expect([mine.status, yours.status]).toEqual([201, 201]);
  });

  it('has 1 to 255 characters', async () => {
    expect((await teacher().post(PACKAGES, { title: 'x' }, key('k'.repeat(256)))).status).toBe(400);
    expect((await teacher().post(PACKAGES, { title: 'x' }, key(''))).status).toBe(400);
    expect((await teacher().post(PACKAGES, { title: 'x' }, key('k'.repeat(255)))).status).toBe(201);
  });
});
