import { randomUUID } from 'node:crypto';
import { courseCalls, courseCategoryCalls, courseEvents, courseSectionCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths } from '../../../tools/proofs/test/problem.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
const course = (fields: Partial<Request<typeof courseCalls.createCourse>['body']> = {}) =>
  teacher().ok(courseCalls.createCourse, { body: { title: 'Algebra', ...fields } });
const category = (name: string, parent_id?: string) =>
  supervisor().ok(courseCategoryCalls.createCourseCategory, { body: { name, parent_id } });

describe('Categories', () => {
  it('form a tree in which siblings have different names', async () => {
    const root = await category('Science');
    const child = await category('Physics', root.id);
    expect(child).toMatchObject({ name: 'Physics', parent_id: root.id, org_id: fixture.org, version: 1 });
    const again = await supervisor().post('/ws/course-category', { name: 'Physics', parent_id: root.id });
    expect([again.status, again.body.code]).toEqual([409, 'duplicate']);
    const spellings = (letter: string) => [`É${letter}`, `E\u0301${letter}`, `é${letter}`, `Ｅ\u0301${letter}`];
    const answers = await Promise.all(
      ['1', '2', '3', '4'].flatMap(spellings).map((name) => supervisor().post('/ws/course-category', { name })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ body }) => body.code === 'duplicate')).toHaveLength(12);
    const elsewhere = await category('é1', root.id);
    const moved = await supervisor().patch(`/ws/course-category/${elsewhere.id}`, { parent_id: null });
    expect([moved.status, moved.body.code]).toEqual([409, 'duplicate']);
    const kept = await supervisor().patch(`/ws/course-category/${elsewhere.id}`, { name: 'É1' });
    expect(kept.body).toMatchObject({ name: 'É1', version: 2 });
    expect((await supervisor().post('/ws/course-category', { name: 'Physics' })).status).toBe(201);
    const renamed = await supervisor().patch(`/ws/course-category/${child.id}`, { name: 'Optics' });
    expect(renamed.body).toMatchObject({ name: 'Optics', version: 2 });
    const body = { name: 'x', parent_id: randomUUID() };
    const unknown = await supervisor().refused(courseCategoryCalls.createCourseCategory, { body });
    expect(errorPaths(unknown)).toEqual([404, '/body/parent_id']);
    const listed = await teacher().get(`/ws/course-category?parent_id=${root.id}&keyword=OPT`);
    expect(listed.body.items.map(({ name }) => name)).toEqual(['Optics']);
  });

  it('never form a cycle under parallel moves', async () => {
    const [a, b, c] = [await category('a'), await category('b'), await category('c')];
    const move = (id: string, parent_id: string) => supervisor().patch(`/ws/course-category/${id}`, { parent_id });
    expect((await move(a.id, a.id)).body.code).toBe('cycle');
    for (let round = 0; round < 8; round += 1) {
      const moved = await Promise.all([move(a.id, b.id), move(b.id, c.id), move(c.id, a.id)]);
      expect(moved.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 200, 409]);
      for (const one of [a, b, c]) await supervisor().patch(`/ws/course-category/${one.id}`, { parent_id: null });
    }
  });

  it('are not deleted while a course refers to them', async () => {
    const used = await category('Used');
    await course({ category_id: used.id });
    const refused = await supervisor().delete(`/ws/course-category/${used.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
    expect(refused.body.used_by).toEqual([{ what: 'course', count: 1 }]);
    const free = await category('Free');
    expect((await supervisor().delete(`/ws/course-category/${free.id}`)).status).toBe(204);
    expect((await supervisor().delete(`/ws/course-category/${free.id}`)).status).toBe(404);
  });

  it('can be written by supervisors only, and read by staff only', async () => {
    const { id } = await category('Roles');
    expect((await teacher().post('/ws/course-category', { name: 'no' })).status).toBe(403);
    expect((await teacher().patch(`/ws/course-category/${id}`, { name: 'no' })).status).toBe(403);
    expect((await student().get('/ws/course-category')).status).toBe(403);
    expect((await stranger().patch(`/ws/course-category/${id}`, { name: 'no' })).status).toBe(404);
    expect((await stranger().delete(`/ws/course-category/${id}`)).status).toBe(404);
    expect((await stranger().get('/ws/course-category')).body.items).toEqual([]);
  });
});

describe('Courses', () => {
  it('begin as drafts, and students can read the active ones only', async () => {
    const { id, ...rest } = await course();
    expect(rest).toMatchObject({ status: 'draft', description: '', category_id: null, teacher_id: 'teacher-1' });
    expect((await student().get(`/ws/course/${id}`)).status).toBe(404);
    const active = await teacher().patch(`/ws/course/${id}`, { status: 'active' }, { 'if-match': '"1"' });
    expect(active.body).toMatchObject({ status: 'active', version: 2 });
    expect((await teacher().patch(`/ws/course/${id}`, { title: 'old' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await student().get(`/ws/course/${id}`)).body.id).toBe(id);
    const seen = await student().get('/ws/course?limit=100');
    expect(seen.body.items.every(({ status }) => status === 'active')).toBe(true);
  });

  it('can be written by their teacher and by supervisors only', async () => {
    const { id } = await course();
    expect((await teacher('teacher-2').patch(`/ws/course/${id}`, { title: 'no' })).status).toBe(403);
    expect((await teacher('teacher-2').delete(`/ws/course/${id}`)).status).toBe(403);
    expect((await student().post('/ws/course', { title: 'no' })).status).toBe(403);
    expect((await teacher().post('/ws/course', { title: 'x', teacher_id: 'teacher-2' })).status).toBe(403);
    expect((await teacher().patch(`/ws/course/${id}`, { teacher_id: 'teacher-2' })).status).toBe(403);
    for (const [method, body] of [['get'], ['delete'], ['patch', { title: 'no' }]] as const) {
      const answer =
        method === 'patch' ? stranger().patch(`/ws/course/${id}`, body) : stranger()[method](`/ws/course/${id}`);
      expect((await answer).status).toBe(404);
    }
    expect((await supervisor().patch(`/ws/course/${id}`, { teacher_id: 'teacher-2' })).body.teacher_id).toBe(
      'teacher-2',
    );
    const body = { title: 'x', category_id: randomUUID() };
    expect(errorPaths(await teacher().refused(courseCalls.createCourse, { body }))).toEqual([404, '/body/category_id']);
  });

  it('can be listed by keyword and filter, in an order, in pages', async () => {
    const mine = fixture.as({ role: 'TEACHER', sub: 'lister' });
    for (const title of ['数学一', '数学二', '100% sure', 'Zoology']) await mine.post('/ws/course', { title });
    const titles = async (query: string) =>
      (await mine.get(`/ws/course?teacher_id=lister&${query}`)).body.items.map(({ title }) => title);
    expect(await titles('keyword=数学&sort=-created_at')).toEqual(['数学二', '数学一']);
    expect(await titles('keyword=%25')).toEqual(['100% sure']);
    const query = { teacher_id: 'lister', sort: 'created_at', limit: '3' } as const;
    const first = await mine.ok(courseCalls.listCourses, { query });
    expect(first.items).toHaveLength(3);
    const rest = await mine.ok(courseCalls.listCourses, { query: { ...query, cursor: first.next_cursor ?? '' } });
    expect(rest).toMatchObject({ items: [{ title: 'Zoology' }], next_cursor: null });
    expect((await mine.get('/ws/course?sort=price')).status).toBe(400);
  });
});

describe('Sections', () => {
  const section = (course_id: string, body: Request<typeof courseSectionCalls.createCourseSection>['body']) =>
    teacher().ok(courseSectionCalls.createCourseSection, { path: { course_id }, body });
  const order = async (course_id: string) =>
    (await teacher().ok(courseSectionCalls.listCourseSections, { path: { course_id } })).items.map(
      ({ position, title }) => `${position} ${title}`,
    );

  it('are ordered and nest one level', async () => {
    const { id } = await course();
    const a = await section(id, { title: 'a' });
    const b = await section(id, { title: 'b', parent_id: a.id });
    await section(id, { title: 'front', position: 0 });
    expect(await order(id)).toEqual(['0 front', '1 a', '2 b']);
    const deep = await teacher().post(`/ws/course/${id}/section`, { title: 'c', parent_id: b.id });
    expect([deep.status, deep.body.code]).toEqual([409, 'too_deep']);
    const other = await section((await course()).id, { title: 'other' });
    const foreign = { path: { course_id: id }, body: { title: 'c', parent_id: other.id } };
    expect(errorPaths(await teacher().refused(courseSectionCalls.createCourseSection, foreign))).toEqual([
      404,
      '/body/parent_id',
    ]);
    const used = await teacher().delete(`/ws/course-section/${a.id}`);
    expect([used.status, used.body.code]).toEqual([409, 'in_use']);
    const moved = await teacher().patch(`/ws/course-section/${b.id}`, { parent_id: null, position: 0, title: 'B' });
    expect(moved.body).toMatchObject({ parent_id: null, position: 0, title: 'B', version: 3 });
    expect((await teacher().delete(`/ws/course-section/${a.id}`)).status).toBe(204);
    expect(await order(id)).toEqual(['0 B', '1 front']);
    const page = await teacher().get(`/ws/course/${id}/section?limit=1`);
    expect(page.body).toMatchObject({ items: [{ title: 'B' }], next_cursor: expect.any(String) });
  });

  it('publish their order when one is moved, inserted or deleted', async () => {
    const { id } = await course();
    const publishedOrders = async () =>
      (await fixture.events('course', courseEvents.sectionsReordered)).flatMap(({ data }) =>
        data.course_id === id ? [data.section_ids] : [],
      );
    const [a, b] = [(await section(id, { title: 'a' })).id, (await section(id, { title: 'b' })).id];
    const c = (await section(id, { title: 'c' })).id;
    expect(await publishedOrders()).toEqual([]);
    const front = (await section(id, { title: 'front', position: 0 })).id;
    const api = teacher();
    await api.ok(courseSectionCalls.updateCourseSection, { path: { id: a }, body: { position: 9 } });
    await api.ok(courseSectionCalls.updateCourseSection, { path: { id: a }, body: { position: 3, title: 'A' } });
    await api.ok(courseSectionCalls.deleteCourseSection, { path: { id: b } });
    await api.ok(courseSectionCalls.deleteCourseSection, { path: { id: a } });
    expect(await publishedOrders()).toEqual([
      [front, a, b, c],
      [front, b, c, a],
      [front, c, a],
    ]);
  });

  it('keep positions without gaps under parallel reorders, additions and removals', async () => {
    const { id } = await course();
    const made = [];
    for (const title of ['a', 'b', 'c', 'd']) made.push(await section(id, { title }));
    const ids = made.map((row) => row.id);
    const reorder = (section_ids: string[]) => teacher().post(`/ws/course/${id}/section/reorder`, { section_ids });
    const shuffled = (n: number) => [...ids.slice(n % 4), ...ids.slice(0, n % 4)];
    for (let round = 0; round < 6; round += 1) {
      const results = await Promise.all(Array.from({ length: 8 }, (_, n) => reorder(shuffled(n))));
      expect(results.map((one) => one.status)).toEqual(results.map(() => 200));
    }
    const results = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => reorder(shuffled(n))),
      teacher().post(`/ws/course/${id}/section`, { title: 'e', position: 1 }),
      teacher().delete(`/ws/course-section/${ids[3]}`),
    ]);
    for (const one of results) expect([200, 201, 204, 409]).toContain(one.status);
    const positions = async () => (await order(id)).map((row) => Number(row.split(' ')[0]));
    expect(await positions()).toEqual([0, 1, 2, 3]);
    await Promise.all(Array.from({ length: 6 }, (_, n) => section(id, { title: `more ${n}`, position: n % 2 })));
    expect(await positions()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const wrong of [ids, ids.slice(1), [...ids, randomUUID()]]) {
      const refused = await reorder(wrong);
      expect([refused.status, refused.body.code]).toEqual([409, 'order_mismatch']);
    }
  });

  it('can be written only by callers who may write the course', async () => {
    const { id } = await course();
    const a = await section(id, { title: 'a' });
    expect((await teacher('teacher-2').post(`/ws/course/${id}/section`, { title: 'no' })).status).toBe(403);
    expect((await teacher('teacher-2').patch(`/ws/course-section/${a.id}`, { title: 'no' })).status).toBe(403);
    expect((await student().get(`/ws/course/${id}/section`)).status).toBe(404);
    expect((await stranger().get(`/ws/course/${id}/section`)).status).toBe(404);
    expect((await stranger().post(`/ws/course/${id}/section/reorder`, { section_ids: [] })).status).toBe(404);
    expect((await stranger().delete(`/ws/course-section/${a.id}`)).status).toBe(404);
    expect((await teacher().delete(`/ws/course/${id}`)).status).toBe(204);
    const deletions = await fixture.events('course', courseEvents.sectionDeleted);
    expect(deletions.filter(({ aggregate_id }) => aggregate_id === id)).toHaveLength(1);
  });

  it('are copied with their course; the copy is a draft of the caller', async () => {
    const { id: category_id } = await category('Copied');
    const { id } = await course({ title: 'Original', category_id, description: 'x', status: 'active' });
    const a = await section(id, { title: 'a' });
    await section(id, { title: 'b', parent_id: a.id });
    await section(id, { title: 'front', position: 0 });
    const nesting = async (course_id: string) => {
      const { items } = await teacher().ok(courseSectionCalls.listCourseSections, { path: { course_id } });
      const titleOf = new Map(items.map((one) => [one.id, one.title]));
      return items.map((one) => [one.position, one.title, titleOf.get(one.parent_id ?? ''), one.version]);
    };
    const path = { id };
    const key = { 'idempotency-key': randomUUID() };
    const copied = await teacher('teacher-2').answer(courseCalls.copyCourse, { path }, key);
    expect([copied.status, copied.headers.get('etag')]).toEqual([201, '"1"']);
    const { id: copy, ...rest } = copied.body;
    expect(rest).toMatchObject({ title: 'Original', category_id, description: 'x', status: 'draft', version: 1 });
    expect([rest.teacher_id, copy === id]).toEqual(['teacher-2', false]);
    expect(await nesting(copy)).toEqual([
      [0, 'front', undefined, 1],
      [1, 'a', undefined, 1],
      [2, 'b', 'a', 1],
    ]);
    expect(await order(id)).toEqual(['0 front', '1 a', '2 b']);
    const events = (await fixture.events('course')).filter(({ aggregate_id }) => aggregate_id === copy);
    const created = (of: string) => `course.${of}.created.v1`;
    expect(events.map(({ type }) => type)).toEqual(['course', 'section', 'section', 'section'].map(created));
    expect((await teacher('teacher-2').ok(courseCalls.copyCourse, { path }, key)).id).toBe(copy);
    expect((await teacher().ok(courseCalls.copyCourse, { path, body: { title: 'Mine' } })).title).toBe('Mine');
    expect((await student().refused(courseCalls.copyCourse, { path })).code).toBe('forbidden');
    expect((await stranger().refused(courseCalls.copyCourse, { path })).code).toBe('not_found');
    expect((await supervisor().refused(courseCalls.copyCourse, { path: { id: randomUUID() } })).code).toBe('not_found');
  });
});
