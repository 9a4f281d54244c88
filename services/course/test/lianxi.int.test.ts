import { randomUUID } from 'node:crypto';
import {
  clazzCalls,
  courseCalls,
  courseEvents,
  courseSectionCalls,
  enrolmentCalls,
  type EventDef,
  lianxiCalls,
  type Request,
} from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths, problemOf } from '../../../tools/proofs/test/problem.ts';

type Create = Request<typeof lianxiCalls.createLianxi>['body'];
type Answers = Request<typeof lianxiCalls.submitLianxi>['body']['answers'];
type Questions = Create['content']['questions'];

const clock = clockAt('2026-03-02T08:00:00Z');
let fixture: Fixture;
let section: string;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'], clock: clock.now });
  const course = await teacher().ok(courseCalls.createCourse, { body: { title: 'Algebra', status: 'active' } });
  const made = { path: { course_id: course.id }, body: { title: 'One' } };
  section = (await teacher().ok(courseSectionCalls.createCourseSection, made)).id;
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger, namesake } = peopleOf(() => fixture, 'ann');

const QUESTIONS: Questions = [
  { id: 'one', kind: 'single_choice', prompt: '1+1?', options: ['KEY-two', 'three'], answer_key: 'KEY-two', points: 2 },
  {
    id: 'many',
    kind: 'multiple_choice',
    prompt: 'even?',
    options: ['2', '3', '4'],
    answer_key: ['2', '4'],
    points: '1.5',
  },
  { id: 'flag', kind: 'true_false', prompt: 'true?', answer_key: true, points: 1 },
  { id: 'fill', kind: 'fill_in', prompt: 'capital?', answer_key: ['KEY-paris'], points: 1 },
];
const FREE: Questions[number] = {
  id: 'free',
  kind: 'free_text',
  prompt: 'why?',
  answer_key: 'KEY-because',
  points: 5,
};
const right = { one: 'KEY-two', many: ['4', '2'], flag: true, fill: ' key-PARIS ' };

const exercise = () => ({ title: 'Practice', course_section_id: section, content: { questions: QUESTIONS } });
const lianxi = (fields: Partial<Create> = {}) =>
  teacher().ok(lianxiCalls.createLianxi, { body: { ...exercise(), student_ids: ['ann'], ...fields } });
const submit = (id: string, answers: Answers = right, sub = 'ann') =>
  student(sub).ok(lianxiCalls.submitLianxi, { path: { id }, body: { answers } });
/** The attempts that the caller can see. */
const attempts = async (api: Api, id: string, query: Request<typeof lianxiCalls.listSubmissions>['query'] = {}) =>
  (await api.ok(lianxiCalls.listSubmissions, { path: { id }, query })).items;
/** An active class with these students. */
const clazzWith = async (...student_ids: string[]): Promise<string> => {
  const body = { name: 'c', lead_teacher_id: 'teacher-1' };
  const { id } = await supervisor().ok(clazzCalls.createClazz, { body });
  await supervisor().ok(clazzCalls.activateClazz, { path: { id } });
  await supervisor().ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids } });
  return id;
};

describe('An exercise', () => {
  it('can be created, changed and deleted by its teacher', async () => {
    const it = await lianxi();
    expect(it).toMatchObject({
      total_points: '5.50',
      question_count: 4,
      student_ids: ['ann'],
      teacher_id: 'teacher-1',
    });
    expect((await teacher().get(`/ws/lianxi/${it.id}`)).body).toEqual(it);
    const changed = await teacher().patch(`/ws/lianxi/${it.id}`, { title: 'New', due_at: '2026-03-05T10:00:00+08:00' });
    expect(changed.body).toMatchObject({ title: 'New', due_at: '2026-03-05T02:00:00.000Z', version: 2 });
    expect((await teacher('teacher-2').patch(`/ws/lianxi/${it.id}`, { title: 'no' })).status).toBe(403);
    expect((await student().patch(`/ws/lianxi/${it.id}`, { title: 'no' })).status).toBe(403);
    for (const answer of [
      await stranger().get(`/ws/lianxi/${it.id}`),
      await stranger().patch(`/ws/lianxi/${it.id}`, { title: 'no' }),
      await stranger().delete(`/ws/lianxi/${it.id}`),
      await namesake().get(`/ws/lianxi/${it.id}`),
      await namesake().post(`/ws/lianxi/${it.id}/submission`, { answers: right }),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await teacher().delete(`/ws/lianxi/${it.id}`)).status).toBe(204);
  });

  it('is refused if fields are invalid, and the problem names them', async () => {
    const plain = { title: 'x', course_section_id: section, content: { questions: [] } };
    const paths = async (fields: object) =>
      errorPaths(await teacher().refused(lianxiCalls.createLianxi, { body: { ...plain, ...fields } }));
    expect(await paths({ course_section_id: randomUUID() })).toEqual([404, '/body/course_section_id']);
    expect(await paths({ clazz_id: randomUUID() })).toEqual([404, '/body/clazz_id']);
    const both = await paths({ course_section_id: randomUUID(), clazz_id: randomUUID() });
    expect(both).toEqual([404, '/body/course_section_id', '/body/clazz_id']);
    expect(await paths({ clazz_id: randomUUID(), student_ids: ['a'] })).toEqual([400, '/body/student_ids']);
    expect(await paths({ student_ids: Array.from({ length: 501 }, (_, n) => `s${n}`) })).toEqual([
      400,
      '/body/student_ids',
    ]);
    const question = (fields: object) => paths({ content: { questions: [{ ...QUESTIONS[0], ...fields }] } });
    const at = (field: string) => [400, `/body/content/questions/0/${field}`];
    expect(await question({ answer_key: 'four' })).toEqual(at('answer_key'));
    expect(await question({ kind: 'true_false', options: [] })).toEqual(at('answer_key'));
    expect(await question({ options: ['KEY-two'] })).toEqual(at('options'));
    expect(await question({ points: '1.234' })).toEqual(at('points'));
    expect(await paths({ content: { questions: [QUESTIONS[0], QUESTIONS[0]] } })).toEqual([
      400,
      '/body/content/questions/1/id',
    ]);
  });

  it('can be listed by keyword and filter, and students see only their own', async () => {
    const mine = await lianxi({ title: '口算 drill', student_ids: ['lister'] });
    await lianxi({ title: '口算 other', student_ids: ['somebody'] });
    const staff = await teacher().get(`/ws/lianxi?keyword=${encodeURIComponent('口算')}&sort=title`);
    expect(staff.body.items).toHaveLength(2);
    const seen = await student('lister').get('/ws/lianxi?sort=-due_at');
    expect(seen.body.items.map(({ id }) => id)).toEqual([mine.id]);
    expect((await student('nobody').get('/ws/lianxi')).body.items).toEqual([]);
    expect((await stranger().get('/ws/lianxi')).body.items).toEqual([]);
  });

  it('of a class can be read by its current members, and by former members with a submission', async () => {
    const clazz_id = await clazzWith('carl', 'cora');
    const it = await lianxi({ clazz_id, student_ids: undefined });
    expect((await student('carl').get(`/ws/lianxi/${it.id}`)).status).toBe(200);
    expect((await student('carl').get('/ws/lianxi')).body.items).toHaveLength(1);
    expect((await student('ann').get(`/ws/lianxi/${it.id}`)).status).toBe(404);
    await submit(it.id, right, 'carl');
    clock.set('2026-03-03T08:00:00Z');
    for (const one of ['carl', 'cora']) {
      await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id: clazz_id, student_id: one } });
    }
    expect((await student('cora').get(`/ws/lianxi/${it.id}`)).status).toBe(404);
    expect((await student('cora').get('/ws/lianxi')).body.items).toEqual([]);
    expect((await student('carl').get(`/ws/lianxi/${it.id}/submission`)).body.items).toHaveLength(1);
    expect((await student('carl').post(`/ws/lianxi/${it.id}/submission`, { answers: right })).status).toBe(404);
    const moved = await teacher().patch(`/ws/lianxi/${it.id}`, { student_ids: ['cora'] });
    expect(moved.body).toMatchObject({ clazz_id: null, student_ids: ['cora'] });
    expect((await student('cora').get(`/ws/lianxi/${it.id}`)).status).toBe(200);
  });
});

it('publishes the assignment of an exercise, and publishes it again when it changes', async () => {
  const clazz_id = await clazzWith('cora');
  const it = await lianxi({ student_ids: ['bob', 'ann'] });
  const patch = (fields: object) => teacher().patch(`/ws/lianxi/${it.id}`, fields);
  for (const fields of [{ title: 'x' }, { student_ids: ['ann', 'bob'] }, { student_ids: ['bob'] }, { clazz_id }]) {
    expect((await patch(fields)).status).toBe(200);
  }
  await patch({ clazz_id });
  await patch({ clazz_id: null });
  const events = await fixture.events('course', courseEvents.lianxiAssigned);
  expect(events.map(({ data }) => data).filter(({ id }) => id === it.id)).toEqual([
    { id: it.id, clazz_id: null, student_ids: ['ann', 'bob'] },
    { id: it.id, clazz_id: null, student_ids: ['bob'] },
    { id: it.id, clazz_id, student_ids: [] },
    { id: it.id, clazz_id: null, student_ids: [] },
  ]);
});

describe('Attempts', () => {
  it('are numbered and scored at once, and their score is hidden until release, also in the list', async () => {
    const it = await lianxi();
    const listed = async (api = student(), query = {}) =>
      (await api.ok(lianxiCalls.listLianxi, { query })).items.find(({ id }) => id === it.id);
    expect(await listed()).toMatchObject({ attempts: 0, last_submitted_at: null, last_score: null });
    const first = await submit(it.id, { one: 'three' });
    expect(first).toMatchObject({
      attempt: 1,
      status: 'marked',
      late: false,
      student_id: 'ann',
      answers: { one: 'three' },
    });
    const second = await submit(it.id);
    expect(second.attempt).toBe(2);
    const own = await attempts(student(), it.id, { sort: 'submitted_at' });
    expect(own.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const staff = await attempts(teacher(), it.id, { sort: 'submitted_at' });
    expect(staff.map(({ score }) => score)).toEqual(['0.00', '5.50']);
    expect(staff[1]?.points).toEqual({ one: '2.00', many: '1.50', flag: '1.00', fill: '1.00' });
    for (const answer of [first, second, ...own]) expect(answer).not.toHaveProperty('score');
    const handedIn = { attempts: 2, last_submitted_at: second.submitted_at, last_score: null };
    expect(await listed()).toMatchObject(handedIn);
    expect(await listed(teacher(), { student_id: 'ann' })).toMatchObject(handedIn);
    expect(await listed(teacher())).toMatchObject({ attempts: null, last_submitted_at: null });
    expect((await teacher().post('/ws/piyue/release', { submission_ids: [second.id] })).status).toBe(200);
    expect(await attempts(student(), it.id, { status: 'released' })).toMatchObject([
      { id: second.id, score: '5.50', status: 'released' },
    ]);
    expect(await listed()).toMatchObject({ attempts: 2, last_score: '5.50' });
  });

  it('are numbered without gaps when many are submitted at once', async () => {
    const it = await lianxi();
    const made = await Promise.all(Array.from({ length: 8 }, () => submit(it.id)));
    expect(made.map((one) => one.attempt).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('are late by the due time that applies to the student, also after a later change', async () => {
    clock.set('2026-03-04T08:00:00Z');
    const it = await lianxi({ due_at: '2026-03-04T07:00:00Z', student_ids: ['ann', 'bea'] });
    expect((await submit(it.id)).late).toBe(true);
    expect((await submit(it.id, right, 'bea')).late).toBe(true);
    const extend = (student_id: string, due_at: string) =>
      teacher().post(`/ws/lianxi/${it.id}/extension`, { student_id, due_at });
    expect((await extend('ann', '2026-03-04T08:00:00Z')).body).toMatchObject({ granted_by: 'teacher-1' });
    const late = async () =>
      Object.fromEntries((await attempts(teacher(), it.id)).map((one) => [one.student_id, one.late]));
    expect(await late()).toEqual({ ann: false, bea: true });
    expect((await student().get(`/ws/lianxi/${it.id}`)).body.due_at).toBe('2026-03-04T08:00:00.000Z');
    expect((await student('bea').get('/ws/lianxi')).body.items[0]?.due_at).toBe('2026-03-04T07:00:00.000Z');
    await teacher().patch(`/ws/lianxi/${it.id}`, { due_at: null });
    expect(await late()).toEqual({ ann: false, bea: false });
    await extend('ann', '2026-03-04T07:59:59Z');
    expect(await late()).toEqual({ ann: true, bea: false });
    const unknown = problemOf(await extend('nobody', '2026-03-04T08:00:00Z'));
    expect(errorPaths(unknown)).toEqual([404, '/body/student_id']);
    expect((await student().post(`/ws/lianxi/${it.id}/extension`, {})).status).toBe(403);
  });

  it('prevent changes of the questions that they answer', async () => {
    const it = await lianxi();
    await submit(it.id);
    const patch = (fields: object) => teacher().patch(`/ws/lianxi/${it.id}`, fields);
    const refused = await patch({ content: { questions: QUESTIONS.slice(1) } });
    expect(refused.body).toMatchObject({ code: 'in_use', used_by: [{ what: 'submission', count: 1 }] });
    expect((await patch({ content: { questions: QUESTIONS }, title: 'same' })).status).toBe(200);
    expect((await teacher().delete(`/ws/lianxi/${it.id}`)).body.code).toBe('in_use');
    const used = problemOf(await teacher().delete(`/ws/course-section/${section}`));
    expect(used.used_by?.[0]?.what).toBe('lianxi');
  });

  it('are refused if an answer does not fit its question or is too large', async () => {
    const it = await lianxi({ content: { questions: [...QUESTIONS, FREE] } });
    const path = `/ws/lianxi/${it.id}/submission` as const;
    const wrong = problemOf(await student().post(path, { answers: { one: 'four', x: 'y', flag: 'true' } }));
    const [status, ...paths] = errorPaths(wrong);
    expect([status, ...paths.toSorted()]).toEqual([400, '/body/answers/flag', '/body/answers/one', '/body/answers/x']);
    expect(JSON.stringify(wrong)).not.toContain('KEY');
    const big = await student().post(path, { answers: { free: '字'.repeat(20_000), fill: '字'.repeat(2_000) } });
    expect(errorPaths(problemOf(big))).toEqual([400, '/body/answers']);
    expect((await teacher().post(path, { answers: {} })).status).toBe(403);
    expect((await student('bea').post(path, { answers: {} })).status).toBe(404);
    expect((await student('bea').get(path)).status).toBe(404);
  });
});

it('ends a page of attempts before it exceeds one message, and continues it by cursor', async () => {
  const it = await lianxi();
  await fixture.sql(
    `insert into course.submission
       (org_id, id, lianxi_id, teacher_id, student_id, attempt, answers, submitted_at, status)
     select $1, gen_random_uuid(), $2, 'teacher-1', 'ann', n, jsonb_build_object('free', repeat('x', 65000)), now(),
       'submitted' from generate_series(1, 100) n`,
    [fixture.org, it.id],
  );
  const path = { id: it.id };
  const read = (cursor?: string) =>
    teacher().ok(lianxiCalls.listSubmissions, { path, query: { limit: '100', cursor } });
  const seen = new Set<number>();
  let pages = 0;
  for await (const rows of pagesOf(read)) {
    for (const { attempt } of rows) seen.add(attempt);
    pages += 1;
  }
  expect([seen.size, pages]).toEqual([100, 2]);
});

it('publishes a change of a machine’s mark as its own event, not as a marking', async () => {
  const it = await lianxi();
  const { id } = await submit(it.id, { one: 'three' });
  clock.advance(21 * DAY_MS);
  for (const score of [1, 2]) {
    expect((await teacher().put(`/ws/piyue/${id}`, { score })).status).toBe(200);
  }
  const revisionsOf = async (event: EventDef<typeof courseEvents.submissionMarked.data>) =>
    (await fixture.events('course', event)).flatMap(({ data }) => (data.submission_id === id ? [data.revision] : []));
  expect(await revisionsOf(courseEvents.machineMarkChanged)).toEqual([2, 3]);
  expect(await revisionsOf(courseEvents.submissionMarked)).toEqual([]);
});

describe('An answer key', () => {
  const keysOf = async (id: string, sub = 'ann') =>
    (await student(sub).ok(lianxiCalls.getLianxi, { path: { id } })).content.questions.flatMap(
      ({ answer_key = [] }) => answer_key,
    );

  it('is visible only to students with a released mark', async () => {
    const it = await lianxi({ student_ids: ['ann', 'bea'] });
    expect(it).toMatchObject({ release: 'manual', key: 'after_release' });
    const made = await submit(it.id);
    await submit(it.id, {}, 'bea');
    expect([await keysOf(it.id), await keysOf(it.id, 'bea')]).toEqual([[], []]);
    await teacher().post('/ws/piyue/release', { submission_ids: [made.id] });
    expect(await keysOf(it.id)).toEqual(['KEY-two', '2', '4', true, 'KEY-paris']);
    expect(await keysOf(it.id, 'bea')).toEqual([]);
    await teacher().patch(`/ws/lianxi/${it.id}`, { key: 'never' });
    expect(await keysOf(it.id)).toEqual([]);
  });

  it('is visible at once if a machine marks the whole attempt and releases it at once', async () => {
    const it = await lianxi({ release: 'at_once' });
    const made = await submit(it.id);
    expect(made).toMatchObject({ status: 'released', score: '5.50', released_at: made.submitted_at, revision: 1 });
    expect(await keysOf(it.id)).toContain('KEY-two');
    const releases = (await fixture.events('course', courseEvents.submissionReleased)).map(({ data }) => data);
    expect(releases).toMatchObject([
      ...releases.slice(0, -1),
      { submission_id: made.id, revision: 1, released_by: 'teacher-1' },
    ]);
    const withoutKey = await lianxi({ release: 'at_once', key: 'never' });
    expect(await submit(withoutKey.id)).toMatchObject({ status: 'released' });
    expect(await keysOf(withoutKey.id)).toEqual([]);
    const mixed = await lianxi({ release: 'at_once', content: { questions: [...QUESTIONS, FREE] } });
    expect(await submit(mixed.id)).toMatchObject({ status: 'submitted', released_at: null });
    expect(await keysOf(mixed.id)).toEqual([]);
  });

  it('is not visible to students in any route, list, error or event', async () => {
    // Students can see options. So the keys are texts that are not options: if an answer contains one, it leaks.
    const secret: Questions = [
      { id: 'fill', kind: 'fill_in', prompt: '?', answer_key: 'SECRET-1', points: 1 },
      { id: 'free', kind: 'free_text', prompt: '?', answer_key: 'SECRET-2', points: '90' },
    ];
    const it = await lianxi({ content: { questions: secret } });
    const api = student();
    const path = `/ws/lianxi/${it.id}` as const;
    const made = await submit(it.id, { fill: 'x', free: 'y' });
    await teacher().post(`/ws/piyue/${made.id}/claim`);
    await teacher().put(`/ws/piyue/${made.id}`, { score: '66.66', points: { free: '66.66' }, comment: 'SECRET-3' });
    const answers = [
      await api.get(path),
      await api.get('/ws/lianxi?keyword=SECRET'),
      await api.get('/ws/lianxi?limit=100'),
      await api.get(`${path}/submission`),
      await api.get(`${path}/submission?status=marked`),
      await api.post(`${path}/submission`, { answers: { fill: 'wrong' } }),
      await api.post(`${path}/submission`, { answers: { fill: 5 } }),
      await api.patch(path, {}),
      await api.get('/ws/piyue/queue'),
      await api.get(`/ws/piyue/${made.id}/history`),
      await api.post(`/ws/piyue/${made.id}/claim`),
      await api.put(`/ws/piyue/${made.id}`, { score: 1 }),
      await api.post('/ws/piyue/release', { submission_ids: [made.id] }),
    ];
    expect(answers.slice(8).map((answer) => answer.status)).toEqual([403, 403, 403, 403, 403]);
    const events = await fixture.events('course');
    for (const text of [...answers.map((answer) => JSON.stringify(answer.body)), JSON.stringify(events)]) {
      expect(text).not.toMatch(/SECRET-\d|66\.66|answer_key/);
    }
    expect(JSON.stringify((await teacher().get(path)).body)).toContain('SECRET-1');
    expect(await attempts(supervisor(), it.id, { student_id: 'ann', status: 'marked' })).toHaveLength(1);
  });
});
