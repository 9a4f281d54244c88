import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

const NOW = new Date('2026-03-05T12:00:00Z');
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz'], clock: () => NOW });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);
const Made = z.object({ id: z.string() });
const List = z.object({ items: z.array(Made) });
const create = async (path: string, body: object, by = supervisor()): Promise<string> => {
  return Made.parse(expectOk(await by.post(path, body), 201)).id;
};
const found = async (path: string, by = supervisor()): Promise<string[]> => {
  return List.parse(expectOk(await by.get(path))).items.map(({ id }) => id);
};

it('filters categories by parent', async () => {
  const [a, b] = [
    await create('/ws/course-category', { name: 'a' }),
    await create('/ws/course-category', { name: 'b' }),
  ];
  const below = await create('/ws/course-category', { name: 'c', parent_id: a });
  await create('/ws/course-category', { name: 'c', parent_id: b });
  expect(await found(`/ws/course-category?parent_id=${a}`)).toEqual([below]);
});

it('filters courses by category and status', async () => {
  const category_id = await create('/ws/course-category', { name: 'courses' });
  const draft = await create('/ws/course', { title: 'x', category_id });
  const active = await create('/ws/course', { title: 'x', category_id, status: 'active' });
  await create('/ws/course', { title: 'x' });
  expect(await found(`/ws/course?category_id=${category_id}&sort=created_at`)).toEqual([draft, active]);
  expect(await found(`/ws/course?category_id=${category_id}&status=active`)).toEqual([active]);
});

it('lists the sections of one course only, in pages', async () => {
  const [a, b] = [await create('/ws/course', { title: 'a' }), await create('/ws/course', { title: 'b' })];
  await create(`/ws/course/${a}/section`, { title: 'of a' });
  const section = await create(`/ws/course/${b}/section`, { title: 'of b' });
  expect(await found(`/ws/course/${b}/section?limit=5`)).toEqual([section]);
});

it('filters exercises by course, section, class and teacher', async () => {
  const clazz = () => create('/clazz', { name: 'c', lead_teacher_id: 'tom' });
  const [course, clazz_id] = [await create('/ws/course', { title: 'c' }), await clazz()];
  const section = (title: string, of = course) => create(`/ws/course/${of}/section`, { title });
  const sections = [
    await section('a'),
    await section('b'),
    await section('c', await create('/ws/course', { title: 'd' })),
  ];
  const exercise = (course_section_id: string | undefined, fields: object, by: string) =>
    create('/ws/lianxi', { title: 'p', content: { questions: [] }, course_section_id, ...fields }, teacher(by));
  const first = await exercise(sections[0], { clazz_id }, 'tom');
  const second = await exercise(sections[1], { clazz_id: await clazz() }, 'tim');
  await exercise(sections[2], {}, 'eve');
  expect(await found(`/ws/lianxi?course_id=${course}&sort=created_at`)).toEqual([first, second]);
  expect(await found(`/ws/lianxi?course_section_id=${sections[1]}`)).toEqual([second]);
  expect(await found(`/ws/lianxi?clazz_id=${clazz_id}`)).toEqual([first]);
  expect(await found('/ws/lianxi?teacher_id=tim')).toEqual([second]);
});

it('filters attempts by student, and shows students only their own', async () => {
  const course = await create('/ws/course', { title: 'c' });
  const course_section_id = await create(`/ws/course/${course}/section`, { title: 's' });
  const content = { questions: [{ id: 'q', kind: 'free_text', prompt: '?', points: 1 }] };
  const student_ids = ['ann', 'bob'];
  const lianxi = await create('/ws/lianxi', { title: 'p', course_section_id, content, student_ids });
  const path = `/ws/lianxi/${lianxi}/submission`;
  const anns = await create(path, { answers: { q: 'a' } }, student('ann'));
  const bobs = await create(path, { answers: { q: 'b' } }, student('bob'));
  expect(await found(`${path}?student_id=ann`)).toEqual([anns]);
  expect(await found(path, student('bob'))).toEqual([bobs]);
  expect(await found(`${path}?student_id=ann`, student('bob'))).toEqual([]);
});

it('filters plans by teacher', async () => {
  const plan = { title: 'p', starts_on: '2026-03-01', ends_on: '2026-03-09', zone: 'UTC' };
  const toms = await create('/ws/jihua', plan, teacher('tom'));
  await create('/ws/jihua', plan, teacher('tim'));
  expect(await found('/ws/jihua?teacher_id=tom')).toEqual([toms]);
});

it('filters check-ins by student and days, and shows students only their own', async () => {
  const plan = { title: 'p', starts_on: '2026-03-01', ends_on: '2026-03-09', zone: 'UTC', backfill_days: 9 };
  const jihua_id = await create('/ws/jihua', { ...plan, student_ids: ['ann', 'bob'] });
  const checkIn = (sub: string, local_date: string) => create('/ws/daka', { jihua_id, local_date }, student(sub));
  const anns = [
    await checkIn('ann', '2026-03-05'),
    await checkIn('ann', '2026-03-04'),
    await checkIn('ann', '2026-03-03'),
  ];
  const bobs = await checkIn('bob', '2026-03-05');
  const path = `/ws/daka/list?jihua_id=${jihua_id}`;
  expect(await found(`${path}&student_id=ann`)).toEqual(anns);
  expect(await found(path, student('bob'))).toEqual([bobs]);
  expect(await found(`${path}&student_id=ann&from=2026-03-04`)).toEqual(anns.slice(0, 2));
  expect(await found(`${path}&student_id=ann&to=2026-03-04`)).toEqual(anns.slice(1));
});
