import { randomUUID } from 'node:crypto';
import { courseCalls, courseEvents, courseGroupCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../tools/test/answers.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { peopleOf } from '../../../tools/test/people.ts';
import { placesOf, problemOf } from '../../../tools/test/problem.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
const course = async (title: string, status: 'active' | 'draft' = 'active'): Promise<string> =>
  (await teacher().ok(courseCalls.create, { body: { title, status } })).id;
const group = (body: Request<typeof courseGroupCalls.create>['body']) =>
  teacher().ok(courseGroupCalls.create, { body });
const names = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name);

describe('course groups', () => {
  it('hold courses in order, and the same list again changes nothing', async () => {
    const it = await group({ name: 'Bundle' });
    expect(it).toMatchObject({ owner_id: 'teacher-1', org_visible: false, courses: [], version: 1 });
    const [a, b] = [await course('a'), await course('b')];
    const put = (course_ids: string[]) => teacher().put(`/ws/course-group/${it.id}/courses`, { course_ids });
    const first = await put([b, a]);
    expect(first.body.courses.map((row) => row.id)).toEqual([b, a]);
    expect((await put([b, a])).body.version).toBe(first.body.version);
    expect((await put([a])).body.courses).toHaveLength(1);
    expect(placesOf(problemOf(await put([a, randomUUID()])))).toEqual([404, '/body/course_ids/1']);
    expect((await put([a, a])).status).toBe(400);
    expect((await put(Array.from({ length: 501 }, () => randomUUID()))).status).toBe(400);
    const used = await teacher().delete(`/ws/course/${a}`);
    expect(used.body).toMatchObject({ code: 'in_use', used_by: [{ what: 'course_group', count: 1 }] });
    expect((await teacher().delete(`/ws/course-group/${it.id}`)).status).toBe(204);
    expect((await teacher().delete(`/ws/course/${a}`)).status).toBe(204);
  });

  it('are private to their owner and supervisors unless visible to the org', async () => {
    const hidden = await group({ name: 'Private' });
    const open = await group({ name: 'Open', org_visible: true });
    for (const api of [teacher('teacher-2'), student(), stranger()]) {
      expect((await api.get(`/ws/course-group/${hidden.id}`)).status).toBe(404);
    }
    expect((await teacher('teacher-2').patch(`/ws/course-group/${hidden.id}`, { name: 'x' })).status).toBe(404);
    expect((await teacher('teacher-2').patch(`/ws/course-group/${open.id}`, { name: 'x' })).status).toBe(403);
    expect((await student().patch(`/ws/course-group/${open.id}`, { name: 'x' })).status).toBe(403);
    expect((await supervisor().get(`/ws/course-group/${hidden.id}`)).status).toBe(200);
    expect((await student().get(`/ws/course-group/${open.id}`)).status).toBe(200);
    expect(names(await teacher('teacher-2').ok(courseGroupCalls.list))).toEqual(['Open']);
    expect(names(await teacher().ok(courseGroupCalls.list))).toContain('Private');
    expect((await supervisor().patch(`/ws/course-group/${open.id}`, { org_visible: false })).status).toBe(200);
    expect((await student().get(`/ws/course-group/${open.id}`)).status).toBe(404);
  });

  it('are found when visible, with their courses, by keyword and page by page', async () => {
    const path = '/ws/find_org_visible_course_groups';
    const [active, draft] = [await course('shown'), await course('draft', 'draft')];
    for (const name of ['Visible 1', 'Visible 2', 'Visible 3']) {
      const it = await group({ name, org_visible: true });
      await teacher().put(`/ws/course-group/${it.id}/courses`, { course_ids: [draft, active] });
    }
    await group({ name: 'Visible not' });
    const all = await student().ok(courseGroupCalls.findOrgVisible, { query: { keyword: 'visible' } });
    expect(names(all)).toEqual(['Visible 1', 'Visible 2', 'Visible 3']);
    expect(all.items[0]?.courses.map(({ title }) => title)).toEqual(['shown']);
    const query = { keyword: 'VISIBLE', limit: '2' };
    const staff = await teacher('teacher-2').ok(courseGroupCalls.findOrgVisible, { query });
    expect(staff.items[0]?.courses).toHaveLength(2);
    const next = { query: { ...query, cursor: staff.next_cursor ?? '' } };
    expect(names(await teacher('teacher-2').ok(courseGroupCalls.findOrgVisible, next))).toEqual(['Visible 3']);
    expect((await stranger().get(path)).body.items).toEqual([]);
    expect((await stranger().get(`${path}?keyword=VISIBLE&cursor=${staff.next_cursor}`)).status).toBe(400);
  });
});

describe('the member directory', () => {
  const put = (members: object[]) => supervisor().put('/ws/member/bulk', { members });
  const ann = { user_id: 'ann', role: 'STUDENT', display_name: '安妮 Ann', external_id: 'X-1' };
  const bob = { user_id: 'bob', role: 'TEACHER', display_name: 'Bob' };

  it('takes a list as often as it is sent', async () => {
    const first = await put([bob, ann]);
    expect(ok(first)).toMatchObject({ created: 2, updated: 0, unchanged: 0 });
    expect(first.body.items.map(({ user_id }) => user_id)).toEqual(['bob', 'ann']);
    expect((await put([bob, { ...ann, display_name: 'Anna' }])).body).toMatchObject({ updated: 1, unchanged: 1 });
    const events = await fixture.told('course', courseEvents.membersChanged);
    expect(events.map(({ data }) => data.members.map(({ user_id }) => user_id))).toEqual([['bob', 'ann'], ['ann']]);
  });

  it('is searched in names and ids', async () => {
    await put([ann, bob]);
    const found = async (query: string) =>
      (await teacher().get(`/ws/member?${query}`)).body.items.map(({ user_id }) => user_id);
    expect(await found('keyword=安')).toEqual(['ann']);
    expect(await found('keyword=x-1')).toEqual(['ann']);
    expect(await found('role=TEACHER')).toEqual(['bob']);
    expect(await found('sort=-user_id')).toEqual(['bob', 'ann']);
  });

  it('is written by supervisors, read by staff, and has bounds', async () => {
    expect((await teacher().put('/ws/member/bulk', { members: [] })).status).toBe(403);
    expect((await student().get('/ws/member')).status).toBe(403);
    expect((await stranger().get('/ws/member')).body.items).toEqual([]);
    expect((await put([bob, bob])).body.errors).toEqual([
      { path: '/body/members/1/user_id', message: 'is named twice' },
    ]);
    expect((await put([{ ...bob, user_id: 'a b' }])).status).toBe(400);
    expect((await put(Array.from({ length: 501 }, (_, n) => ({ ...bob, user_id: `u${n}` })))).status).toBe(400);
  });

  it('takes overlapping lists at the same time', async () => {
    const people = Array.from({ length: 100 }, (_, n) => ({ ...bob, user_id: `p${n}` }));
    const lists = Array.from({ length: 6 }, (_, n) =>
      put((n % 2 === 0 ? people : people.toReversed()).map((row) => ({ ...row, display_name: `name ${n}` }))),
    );
    expect((await Promise.all(lists)).map((one) => one.status)).toEqual([200, 200, 200, 200, 200, 200]);
  });
});
