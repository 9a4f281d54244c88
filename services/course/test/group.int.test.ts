import { randomUUID } from 'node:crypto';
import { courseCalls, courseGroupCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths, problemOf } from '../../../tools/proofs/test/problem.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
const course = async (title: string, status: 'active' | 'draft' = 'active'): Promise<string> =>
  (await teacher().ok(courseCalls.createCourse, { body: { title, status } })).id;
const group = (body: Request<typeof courseGroupCalls.createCourseGroup>['body']) =>
  teacher().ok(courseGroupCalls.createCourseGroup, { body });
const names = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name);

describe('Course groups', () => {
  it('keep their courses in order, and the same list again changes nothing', async () => {
    const it = await group({ name: 'Bundle' });
    expect(it).toMatchObject({ owner_id: 'teacher-1', org_visible: false, courses: [], version: 1 });
    const [a, b] = [await course('a'), await course('b')];
    const put = (course_ids: string[]) => teacher().put(`/ws/course-group/${it.id}/courses`, { course_ids });
    const first = await put([b, a]);
    expect(first.body.courses.map((row) => row.id)).toEqual([b, a]);
    expect((await put([b, a])).body.version).toBe(first.body.version);
    expect((await put([a])).body.courses).toHaveLength(1);
    expect(errorPaths(problemOf(await put([a, randomUUID()])))).toEqual([404, '/body/course_ids/1']);
    expect((await put([a, a])).status).toBe(400);
    expect((await put(Array.from({ length: 501 }, () => randomUUID()))).status).toBe(400);
    const used = await teacher().delete(`/ws/course/${a}`);
    expect(used.body).toMatchObject({ code: 'in_use', used_by: [{ what: 'course_group', count: 1 }] });
    expect((await teacher().delete(`/ws/course-group/${it.id}`)).status).toBe(204);
    expect((await teacher().delete(`/ws/course/${a}`)).status).toBe(204);
  });

  it('can be read only by their owner and supervisors unless visible to the org', async () => {
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
    expect(names(await teacher('teacher-2').ok(courseGroupCalls.listCourseGroups))).toEqual(['Open']);
    expect(names(await teacher().ok(courseGroupCalls.listCourseGroups))).toContain('Private');
    expect((await supervisor().patch(`/ws/course-group/${open.id}`, { org_visible: false })).status).toBe(200);
    expect((await student().get(`/ws/course-group/${open.id}`)).status).toBe(404);
  });

  it('that are visible to the org can be searched by keyword, with their courses, in pages', async () => {
    const path = '/ws/find_org_visible_course_groups';
    const [active, draft] = [await course('shown'), await course('draft', 'draft')];
    for (const name of ['Visible 1', 'Visible 2', 'Visible 3']) {
      const it = await group({ name, org_visible: true });
      await teacher().put(`/ws/course-group/${it.id}/courses`, { course_ids: [draft, active] });
    }
    await group({ name: 'Visible not' });
    const all = await student().ok(courseGroupCalls.listOrganizationVisibleCourseGroups, {
      query: { keyword: 'visible' },
    });
    expect(names(all)).toEqual(['Visible 1', 'Visible 2', 'Visible 3']);
    expect(all.items[0]?.courses.map(({ title }) => title)).toEqual(['shown']);
    const query = { keyword: 'VISIBLE', limit: '2' };
    const staff = await teacher('teacher-2').ok(courseGroupCalls.listOrganizationVisibleCourseGroups, { query });
    expect(staff.items[0]?.courses).toHaveLength(2);
    const next = { query: { ...query, cursor: staff.next_cursor ?? '' } };
    expect(names(await teacher('teacher-2').ok(courseGroupCalls.listOrganizationVisibleCourseGroups, next))).toEqual([
      'Visible 3',
    ]);
    expect((await stranger().get(path)).body.items).toEqual([]);
    expect((await stranger().get(`${path}?keyword=VISIBLE&cursor=${staff.next_cursor}`)).status).toBe(400);
  });
});
