import { packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { people } from '../../../tools/test/people.ts';

let fixture: Fixture;
const { teacher } = people(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

const key = (value: string) => ({ 'idempotency-key': value });
const titled = (title: string) => ({ body: { title } });
const count = async (title: string): Promise<number> =>
  (
    await fixture.sql<{ n: number }>('select count(*)::int as n from package.course_package where title = $1', [title])
  )[0]?.n ?? -1;

describe('Idempotency-Key', () => {
  it('replays the first answer, with its status, ETag and token', async () => {
    const first = await teacher().answer(packageCalls.create, titled('once'), key('a'));
    const again = await teacher().answer(packageCalls.create, titled('once'), key('a'));
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe('"1"');
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(again.headers.get('x-consistency-token')).toBeTruthy();
    expect(again.headers.get('x-consistency-token')).toBe(first.headers.get('x-consistency-token'));
    expect(await count('once')).toBe(1);
  });

  it('refuses another request under a used key', async () => {
    await teacher().ok(packageCalls.create, titled('one'), key('b'));
    const other = await teacher().refused(packageCalls.create, titled('two'), key('b'));
    expect(other.code).toBe('idempotency_mismatch');
    expect(await count('two')).toBe(0);
  });

  it('lets parallel repeats have one effect', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () => teacher().outcome(packageCalls.create, titled('parallel'), key('c'))),
    );
    const ids = outcomes.flatMap((outcome) => (outcome.code === 'done' ? [outcome.body.id] : []));
    const refused = outcomes.flatMap(({ code }) => (code === 'done' ? [] : [code]));
    expect(new Set(refused)).toEqual(new Set(refused.map(() => 'idempotency_in_flight')));
    expect(new Set(ids).size).toBe(1);
    expect(await count('parallel')).toBe(1);
  });

  it('does not remember a refusal', async () => {
    const { id } = await teacher().ok(packageCalls.create, titled('later'));
    const unpublish = { path: { id } };
    const refused = await teacher().refused(packageCalls.unpublish, unpublish, key('d'));
    expect(refused.code).toBe('package_not_published');
    await fixture.sql(
      `insert into package.course_package_item (org_id, id, package_id, course_id, title, hours, position)
       values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'x', 1, 0)`,
      [fixture.org, id],
    );
    await teacher().ok(packageCalls.publish, { path: { id } });
    await teacher().ok(packageCalls.unpublish, unpublish, key('d'));
  });

  it('belongs to one user of one org', async () => {
    const mine = await teacher('t-a').ok(packageCalls.create, titled('mine'), key('e'));
    const yours = await teacher('t-b').ok(packageCalls.create, titled('yours'), key('e'));
    const theirs = await fixture
      .as({ role: 'TEACHER', sub: 't-a', org: crypto.randomUUID() })
      .ok(packageCalls.create, titled('theirs'), key('e'));
    expect([mine.title, yours.title, theirs.title]).toEqual(['mine', 'yours', 'theirs']);
  });

  it('has 1 to 255 characters', async () => {
    const create = (value: string) => teacher().refused(packageCalls.create, titled('x'), key(value));
    expect((await create('k'.repeat(256))).code).toBe('invalid_request');
    expect((await create('')).code).toBe('invalid_request');
    await teacher().ok(packageCalls.create, titled('x'), key('k'.repeat(255)));
  });
});
