import {
  clazzCalls,
  courseCalls,
  courseSectionCalls,
  enrolmentCalls,
  lianxiCalls,
  piyueCalls,
  type Request,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths } from '../../../tools/proofs/test/problem.ts';

type Create = Request<typeof lianxiCalls.createLianxi>['body'];

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
beforeEach(() => clock.reset());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture, 'ann');

const QUESTIONS: Create['content']['questions'] = [
  { id: 'two', kind: 'fill_in', prompt: '1+1?', answer_key: '2', points: 2 },
  { id: 'why', kind: 'free_text', prompt: 'why?', points: '3.5' },
  { id: 'nothing', kind: 'fill_in', prompt: '?', answer_key: 'x', points: 0 },
];
const lianxi = (fields: Partial<Create> = {}) =>
  teacher().ok(lianxiCalls.createLianxi, {
    body: { title: 'P', course_section_id: section, content: { questions: QUESTIONS }, ...fields },
  });
const submission = (id: string, answers = {}) => ({ path: { id }, body: { answers } });
const submit = (id: string, sub: string, answers = {}) =>
  student(sub).ok(lianxiCalls.submitLianxi, submission(id, answers));
const refused = async (id: string, sub: string) => {
  const { status, code } = await student(sub).refused(lianxiCalls.submitLianxi, submission(id));
  return [status, code];
};
/** The instant `hours` from now. */
const inHours = (hours: number): string => clock.after(hours * HOUR_MS);

describe('A copy of an exercise', () => {
  it('has the same questions and keys, belongs to the caller, and has no assignment', async () => {
    const times = { due_at: inHours(1), closes_at: inHours(2) };
    const it = await lianxi({ student_ids: ['ann'], ...times, max_attempts: 3, release: 'at_once', key: 'never' });
    await submit(it.id, 'ann');
    const path = { id: it.id };
    const copied = await teacher('teacher-2').answer(lianxiCalls.copyLianxi, { path, body: {} });
    expect([copied.status, copied.headers.get('etag')]).toEqual([201, '"1"']);
    const { id } = copied.body;
    const mine = { id, teacher_id: 'teacher-2', student_ids: [], student_names: [], due_at: null, closes_at: null };
    expect(copied.body).toEqual({ ...it, ...mine, created_at: expect.anything(), updated_at: expect.anything() });
    expect(id).not.toBe(it.id);
    expect(await teacher().ok(lianxiCalls.getLianxi, { path: { id } })).toEqual(copied.body);
    expect((await student().refused(lianxiCalls.getLianxi, { path: { id } })).code).toBe('not_found');
    const events = (await fixture.events('course')).filter(({ aggregate_id }) => aggregate_id === id);
    expect(events.map(({ type }) => type)).toEqual(['course.lianxi.created.v1']);
    expect((await teacher().ok(lianxiCalls.copyLianxi, { path, body: { title: 'Mine' } })).title).toBe('Mine');
    expect((await student().refused(lianxiCalls.copyLianxi, { path })).code).toBe('forbidden');
    expect((await stranger().refused(lianxiCalls.copyLianxi, { path })).code).toBe('not_found');
  });
});

describe('An exercise', () => {
  it('accepts at most its maximum of attempts, also in parallel', async () => {
    const it = await lianxi({ student_ids: ['ann', 'bea'], max_attempts: 2 });
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => student().post(`/ws/lianxi/${it.id}/submission`, { answers: {} })),
    );
    const codes = tries.map(({ status, body }) => `${status} ${body.code ?? ''}`).toSorted();
    expect(codes).toEqual(['201 ', '201 ', ...Array(3).fill('409 attempts_used_up')]);
    await submit(it.id, 'bea');
    await teacher().ok(lianxiCalls.updateLianxi, { path: { id: it.id }, body: { max_attempts: null } });
    expect((await submit(it.id, 'ann')).attempt).toBe(3);
  });

  it('accepts no attempt after it closes, except from a student with a later due time', async () => {
    const it = await lianxi({ student_ids: ['ann', 'bea'], due_at: inHours(1), closes_at: inHours(2) });
    const path = { id: it.id };
    clock.advance(2 * HOUR_MS);
    expect((await submit(it.id, 'bea')).late).toBe(true);
    clock.advance(1);
    expect(await refused(it.id, 'ann')).toEqual([409, 'practice_closed']);
    const due_at = inHours(1);
    await teacher().ok(lianxiCalls.extendLianxi, { path, body: { student_id: 'ann', due_at } });
    expect((await submit(it.id, 'ann')).late).toBe(false);
    expect(await refused(it.id, 'bea')).toEqual([409, 'practice_closed']);
    expect(await student().ok(lianxiCalls.getLianxi, { path })).toMatchObject({ due_at, closes_at: due_at });
    const listed = (await student().ok(lianxiCalls.listLianxi)).items.find(({ id }) => id === it.id);
    expect(listed).toMatchObject({ due_at, closes_at: due_at });
    expect((await student('bea').ok(lianxiCalls.getLianxi, { path })).closes_at).toBe(it.closes_at);
    clock.advance(HOUR_MS + 1);
    expect(await refused(it.id, 'ann')).toEqual([409, 'practice_closed']);
    await teacher().ok(lianxiCalls.updateLianxi, { path, body: { closes_at: null } });
    expect((await submit(it.id, 'bea')).attempt).toBe(2);
  });

  it('cannot close before its due time', async () => {
    const early = { title: 'P', course_section_id: section, content: { questions: [] }, due_at: inHours(2) };
    const body = { ...early, closes_at: inHours(1) };
    expect(errorPaths(await teacher().refused(lianxiCalls.createLianxi, { body }))).toEqual([400, '/body/closes_at']);
    const path = { id: (await lianxi({ due_at: inHours(2), closes_at: inHours(2) })).id };
    const patch = async (fields: object) => {
      const answer = await teacher().patch(`/ws/lianxi/${path.id}`, fields);
      return [answer.status, ...(answer.body.errors ?? []).map((error) => error.path)];
    };
    expect(await patch({ closes_at: inHours(1) })).toEqual([400, '/body/closes_at']);
    expect(await patch({ due_at: inHours(3) })).toEqual([400, '/body/due_at']);
    expect(await patch({ due_at: inHours(3), closes_at: inHours(3) })).toEqual([200]);
    expect(await patch({ due_at: null, closes_at: inHours(1) })).toEqual([200]);
    for (const max_attempts of [0, -1, 1.5, 1_001])
      expect(await patch({ max_attempts })).toEqual([400, '/body/max_attempts']);
  });
});

describe('The overview of an exercise', () => {
  const overview = (id: string) => teacher('teacher-2').ok(lianxiCalls.getLianxiOverview, { path: { id } });
  const share = (id: string, numerator: number, denominator: number) => ({
    id,
    share_correct: denominator === 0 ? null : numerator / denominator,
    numerator,
    denominator,
  });
  const mark = async (submission_id: string, score: number, points: Record<string, number>) => {
    const path = { submission_id };
    await teacher().ok(piyueCalls.claimSubmission, { path });
    await teacher().ok(piyueCalls.markSubmission, { path, body: { score, points } });
  };

  it('counts the latest attempt of each student', async () => {
    const it = await lianxi({ student_ids: ['ann', 'bea', 'cy', 'dan'] });
    const nothing = { mean: null, median: null, handed_in: 0, marked: 0, assigned: 4, total_points: '5.50' };
    const ids = ['ann', 'bea', 'cy', 'dan'];
    const none = [share('two', 0, 0), share('why', 0, 0), share('nothing', 0, 0)];
    expect(await overview(it.id)).toEqual({
      lianxi_id: it.id,
      ...nothing,
      not_handed_in: ids,
      not_handed_in_names: Array(4).fill(null),
      questions: none,
    });
    await mark((await submit(it.id, 'ann', { two: '2' })).id, 5.5, { two: 2, why: 3.5 });
    await mark((await submit(it.id, 'ann', { two: '3' })).id, 1, { two: 0, why: 1 });
    await mark((await submit(it.id, 'bea', { two: '2' })).id, 5.5, { two: 2, why: 3.5 });
    expect((await overview(it.id)).median).toBe('3.25');
    await mark((await submit(it.id, 'cy', { two: '2' })).id, 2, { two: 2, why: 0 });
    await submit(it.id, 'dan', { two: '2' });
    expect(await overview(it.id)).toEqual({
      lianxi_id: it.id,
      assigned: 4,
      handed_in: 4,
      marked: 3,
      not_handed_in: [],
      not_handed_in_names: [],
      mean: '2.83',
      median: '2.00',
      total_points: '5.50',
      questions: [share('two', 3, 4), share('why', 1, 3), share('nothing', 0, 0)],
    });
  });

  it('of a class lists its current members without a submission', async () => {
    const { id } = await supervisor().ok(clazzCalls.createClazz, { body: { name: 'c', lead_teacher_id: 'teacher-1' } });
    const path = { id };
    await supervisor().ok(clazzCalls.activateClazz, { path });
    await supervisor().ok(enrolmentCalls.enrolStudents, { path, body: { student_ids: ['ann', 'bea', 'cy'] } });
    const it = await lianxi({ clazz_id: id });
    await submit(it.id, 'ann');
    clock.advance(1);
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'ann' } });
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'cy' } });
    clock.advance(1);
    expect(await overview(it.id)).toMatchObject({ assigned: 1, handed_in: 1, not_handed_in: ['bea'] });
  });

  it('can be read only by staff of the organization', async () => {
    const path = { id: (await lianxi({ student_ids: ['ann'] })).id };
    expect((await student().refused(lianxiCalls.getLianxiOverview, { path })).code).toBe('forbidden');
    expect((await stranger().refused(lianxiCalls.getLianxiOverview, { path })).code).toBe('not_found');
  });
});
