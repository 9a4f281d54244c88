import {
  courseCalls,
  courseSectionCalls,
  dakaCalls,
  jihuaCalls,
  lianxiCalls,
  piyueCalls,
  type Request,
} from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

const clock = clockAt('2026-03-05T12:00:00Z');
let fixture: Fixture;
let course_section_id: string;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz'], clock: clock.now });
  const course = await teacher().ok(courseCalls.createCourse, { body: { title: 'Algebra', status: 'active' } });
  const made = { path: { course_id: course.id }, body: { title: 'One' } };
  course_section_id = (await teacher().ok(courseSectionCalls.createCourseSection, made)).id;
});
afterAll(() => fixture?.stop());

const teacher = () => fixture.as({ role: 'TEACHER' });
/** A person who is both a teacher and a student. */
const both = () => fixture.as({ role: ['TEACHER', 'STUDENT'], sub: 'tina' });
const student = () => fixture.as({ role: 'STUDENT', sub: 'ann' });

it('a person with both roles submits as a student, and can filter the own exercises', async () => {
  const lianxi = (title: string, student_ids: string[]) => {
    const question = { id: 'q', kind: 'free_text', prompt: 'why?', points: 5 } as const;
    const body = { title, course_section_id, content: { questions: [question] }, student_ids };
    return teacher().ok(lianxiCalls.createLianxi, { body });
  };
  const [mine, other] = [await lianxi('mine', ['tina']), await lianxi('other', ['ann'])];
  const extension = { student_id: 'tina', due_at: '2026-03-09T00:00:00.000Z' };
  await teacher().ok(lianxiCalls.extendLianxi, { path: { id: mine.id }, body: extension });
  const path = { id: mine.id };
  const made = await both().ok(lianxiCalls.submitLianxi, { path, body: { answers: { q: 'because' } } });
  expect(made).toMatchObject({ student_id: 'tina', attempt: 1 });
  const foreign = { path: { id: other.id }, body: { answers: {} } };
  expect((await both().refused(lianxiCalls.submitLianxi, foreign)).code).toBe('not_found');
  const titles = async (api: Api, query: Request<typeof lianxiCalls.listLianxi>['query']) =>
    (await api.ok(lianxiCalls.listLianxi, { query })).items.map(({ title, due_at }) => [title, due_at]);
  expect(await titles(both(), { student_id: 'tina' })).toEqual([['mine', extension.due_at]]);
  expect(await titles(both(), {})).toHaveLength(2);
  expect(await titles(student(), { student_id: 'ann' })).toEqual([['other', null]]);
  expect((await student().refused(lianxiCalls.listLianxi, { query: { student_id: 'tina' } })).code).toBe('forbidden');
  const query = { student_id: 'tina' };
  expect((await both().ok(lianxiCalls.listSubmissions, { path, query })).items).toMatchObject([{ id: made.id }]);
  expect((await both().ok(piyueCalls.listPiyueQueue, { query: { lianxi_id: mine.id } })).items).toHaveLength(1);
});

it('a person with both roles checks in as a student, without `student_id` in the request', async () => {
  const days = { starts_on: '2026-03-02', ends_on: '2026-03-13', zone: 'UTC' };
  const plan = (title: string, student_ids: string[]) =>
    teacher().ok(jihuaCalls.createJihua, { body: { title, ...days, student_ids } });
  const [mine, other] = [await plan('mine', ['tina']), await plan('other', ['ann'])];
  const jihua_id = mine.id;
  expect(await both().ok(dakaCalls.putDaka, { body: { jihua_id } })).toMatchObject({ student_id: 'tina' });
  expect(await both().ok(dakaCalls.getDakaStreak, { query: { jihua_id } })).toMatchObject({ current: 1 });
  expect((await both().refused(dakaCalls.putDaka, { body: { jihua_id: other.id } })).code).toBe('not_found');
  const read = await both().ok(jihuaCalls.getJihua, { path: { id: jihua_id } });
  expect(read).toMatchObject({ since: '2026-03-02', student_ids: ['tina'] });
  const titles = async (api: Api, query: Request<typeof jihuaCalls.listJihua>['query']) =>
    (await api.ok(jihuaCalls.listJihua, { query })).items.map(({ title }) => title);
  expect(await titles(both(), { student_id: 'tina' })).toEqual(['mine']);
  expect(await titles(student(), {})).toEqual(['other']);
  expect((await student().refused(jihuaCalls.listJihua, { query: { student_id: 'tina' } })).code).toBe('forbidden');
});
