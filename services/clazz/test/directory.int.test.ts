import { clazzEvents, memberCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carryOver } from '../../../tools/operators/migrate/carry-over.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
});
afterAll(() => fixture?.stop());

describe('the member directory', () => {
  const put = (members: object[]) => supervisor().put('/ws/member/bulk', { members });
  const ann = { user_id: 'ann', role: 'STUDENT', display_name: '安妮 Ann', external_id: 'X-1' };
  const bob = { user_id: 'bob', role: 'TEACHER', display_name: 'Bob' };

  it('creates and updates members by a list, and publishes only those that changed', async () => {
    const first = await put([bob, ann]);
    expect(expectOk(first)).toMatchObject({ created: 2, updated: 0, unchanged: 0 });
    expect(first.body.items.map(({ user_id }) => user_id)).toEqual(['bob', 'ann']);
    expect((await put([bob, { ...ann, display_name: 'Anna' }])).body).toMatchObject({ updated: 1, unchanged: 1 });
    const events = await fixture.events('clazz', clazzEvents.memberChanged);
    expect(events.map(({ data }) => data.members.map(({ user_id }) => user_id))).toEqual([['bob', 'ann'], ['ann']]);
  });

  it('is searched by name and external id, filtered by role and sorted', async () => {
    await put([ann, bob]);
    const found = async (query: string) =>
      (await teacher().get(`/ws/member?${query}`)).body.items.map(({ user_id }) => user_id);
    expect(await found('keyword=安')).toEqual(['ann']);
    expect(await found('keyword=x-1')).toEqual(['ann']);
    expect(await found('role=TEACHER')).toEqual(['bob']);
    expect(await found('role=STUDENT,TEACHER&status=active,inactive&sort=user_id')).toEqual(['ann', 'bob']);
    expect(await found('sort=-user_id')).toEqual(['bob', 'ann']);
  });

  it('is written by supervisors and read by staff, and refuses duplicates and more than 500 members', async () => {
    expect((await teacher().put('/ws/member/bulk', { members: [] })).status).toBe(403);
    expect((await student().get('/ws/member')).status).toBe(403);
    expect((await stranger().get('/ws/member')).body.items).toEqual([]);
    expect((await put([bob, bob])).body.errors).toEqual([
      { path: '/body/members/1/user_id', message: 'is named twice' },
    ]);
    expect((await put([{ ...bob, user_id: 'a b' }])).status).toBe(400);
    expect((await put(Array.from({ length: 501 }, (_, n) => ({ ...bob, user_id: `u${n}` })))).status).toBe(400);
  });

  it('accepts overlapping lists in parallel', async () => {
    const people = Array.from({ length: 100 }, (_, n) => ({ ...bob, user_id: `p${n}` }));
    const lists = Array.from({ length: 6 }, (_, n) =>
      put((n % 2 === 0 ? people : people.toReversed()).map((row) => ({ ...row, display_name: `name ${n}` }))),
    );
    expect((await Promise.all(lists)).map((one) => one.status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it('keeps omitted fields, clears null fields, and counts a member without changes as unchanged', async () => {
    const full = {
      user_id: 'cleo',
      role: 'TEACHER',
      roles: ['TEACHER', 'STUDENT'],
      display_name: 'Cleo',
      given_name: 'Cleopatra',
      family_name: 'Li',
      email: 'cleo@example.org',
      phone: '+86 10 1234',
      birthday: '1990-02-28',
      external_id: 'E-7',
      note: 'teaches on Mondays',
    };
    const [made] = (await put([full])).body.items;
    expect(made).toMatchObject({ ...full, status: 'active', version: 1 });
    const renamed = await put([{ user_id: 'cleo', role: 'TEACHER', display_name: 'Cleo L.', phone: null }]);
    expect(renamed.body.items[0]).toMatchObject({ ...full, display_name: 'Cleo L.', phone: null, version: 2 });
    expect((await put([{ user_id: 'cleo', role: 'TEACHER', display_name: 'Cleo L.' }])).body).toMatchObject({
      unchanged: 1,
      items: [{ version: 2 }],
    });
    const [moved] = (await put([{ user_id: 'cleo', role: 'SUPERVISOR', display_name: 'Cleo L.' }])).body.items;
    expect(moved).toMatchObject({ role: 'SUPERVISOR', roles: ['SUPERVISOR'] });
  });

  it('requires the primary role among all roles of a member', async () => {
    const one = { user_id: 'dan', display_name: 'Dan', role: 'TEACHER' };
    const invalid = [
      { ...one, roles: ['STUDENT'] },
      { ...one, user_id: 'eve', roles: ['TEACHER', 'TEACHER'] },
    ];
    expect((await put(invalid)).body.errors).toEqual([
      { path: '/body/members/0/roles', message: 'must contain TEACHER, the primary role' },
      { path: '/body/members/1/roles', message: 'contains the same role twice' },
    ]);
    await put([{ ...one, roles: ['STUDENT', 'TEACHER'] }]);
    const found = await teacher().ok(memberCalls.listMembers, { query: { role: 'STUDENT', keyword: 'dan' } });
    expect(found.items.map(({ user_id }) => user_id)).toEqual(['dan']);
  });

  it('passes names and erasures on to the course service', async () => {
    const names = () =>
      fixture.sql<{ name: string }>("select display_name as name from course.member where user_id = 'flo'");
    const flo = { user_id: 'flo', role: 'STUDENT', display_name: 'Flo' };
    await put([flo]);
    await expect.poll(names, POLL_OPTIONS).toEqual([{ name: 'Flo' }]);
    await put([{ ...flo, display_name: 'Flora' }]);
    await expect.poll(names, POLL_OPTIONS).toEqual([{ name: 'Flora' }]);
    const erased = await supervisor().ok(memberCalls.eraseMember, {
      path: { user_id: 'flo' },
      body: { reason: 'asked' },
    });
    expect(erased).toMatchObject({ name: true });
    await expect.poll(names, POLL_OPTIONS).toEqual([]);
  });

  it('takes over the members of the course service once', async () => {
    const [{ org_id } = { org_id: '' }] = await fixture.sql<{ org_id: string }>(
      'select org_id from clazz.member limit 1',
    );
    await fixture.sql(
      `insert into course.member (org_id, user_id, role, display_name, external_id, created_at, updated_at)
       select $1, u, 'STUDENT', 'Old ' || u, 'X ' || u, '2026-01-02', '2026-01-03' from unnest('{gil,hal,bob}'::text[]) as u
       on conflict (org_id, user_id) do update
       set seq = null, created_at = excluded.created_at, updated_at = excluded.updated_at`,
      [org_id],
    );
    expect(await carryOver(fixture.adminUrl)).toBe(2);
    const found = await teacher().ok(memberCalls.listMembers, { query: { keyword: 'old', sort: 'user_id' } });
    expect(found.items).toMatchObject([
      { user_id: 'gil', roles: ['STUDENT'], external_id: 'X gil', created_at: '2026-01-02T00:00:00.000Z' },
      { user_id: 'hal' },
    ]);
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'hal' }, body: { reason: 'asked' } });
    expect(await carryOver(fixture.adminUrl)).toBe(0);
  });
});
