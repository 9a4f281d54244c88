import { randomUUID } from 'node:crypto';
import {
  courseCalls,
  courseEvents,
  courseSectionCalls,
  lianxiCalls,
  piyueCalls,
  type Request,
  type SubmissionStatus,
} from '@teaching/contracts';
import { MINUTE_MS } from '@teaching/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths, problemOf } from '../../../tools/proofs/test/problem.ts';

const clock = clockAt('2026-03-02T08:00:00Z');
let fixture: Fixture;
let lianxi: string;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz'], clock: clock.now });
  const tom = marker('tom');
  const course = await tom.ok(courseCalls.createCourse, { body: { title: 'Essays', status: 'active' } });
  const path = { course_id: course.id };
  const section = await tom.ok(courseSectionCalls.createCourseSection, { path, body: { title: 'One' } });
  const content = { questions: [{ id: 'q', kind: 'free_text', prompt: 'why?', points: 10 } as const] };
  const body = { title: 'Essay', course_section_id: section.id, content, student_ids: ['ann', 'bob'] };
  lianxi = (await tom.ok(lianxiCalls.createLianxi, { body })).id;
});
beforeEach(() => clock.reset());
afterAll(() => fixture?.stop());

const { supervisor, student, stranger, teacher: marker } = peopleOf(() => fixture, 'ann');
const later = (minutes: number): void => clock.advance(minutes * MINUTE_MS);
const handIn = async (sub = 'ann'): Promise<string> =>
  (await student(sub).ok(lianxiCalls.submitLianxi, { path: { id: lianxi }, body: { answers: { q: 'text' } } })).id;
const claim = (id: string, sub = 'tom') => marker(sub).post(`/ws/piyue/${id}/claim`);
const mark = (id: string, sub: string, body: object) => marker(sub).put(`/ws/piyue/${id}`, body);
const release = (...submission_ids: string[]) => marker('tom').post('/ws/piyue/release', { submission_ids });
const queueOf = async (api = marker('tom'), query: Request<typeof piyueCalls.listPiyueQueue>['query'] = {}) =>
  (await api.ok(piyueCalls.listPiyueQueue, { query: { limit: '100', ...query } })).items.map(({ id }) => id);
/** The attempts at the exercise that the caller can see. */
const attempts = async (api: Api, status?: SubmissionStatus) => {
  const query = { limit: '100', status };
  return (await api.ok(lianxiCalls.listSubmissions, { path: { id: lianxi }, query })).items;
};

describe('A claim', () => {
  it('is exclusive, can be renewed, and expires', async () => {
    const id = await handIn();
    const held = await claim(id);
    expect(held.body).toMatchObject({
      status: 'marking',
      claimed_by: 'tom',
      claim_expires_at: '2026-03-02T08:30:00.000Z',
    });
    const refused = await claim(id, 'eve');
    expect(refused.body).toMatchObject({ code: 'claim_held', claimed_by: 'tom' });
    expect((await mark(id, 'eve', { score: 1 })).body.code).toBe('claim_held');
    later(20);
    expect((await claim(id)).body.claim_expires_at).toBe('2026-03-02T08:50:00.000Z');
    later(30);
    expect((await mark(id, 'tom', { score: 1 })).body.code).toBe('not_claimed');
    expect((await claim(id, 'eve')).status).toBe(200);
    expect((await mark(id, 'tom', { score: 1 })).body.code).toBe('claim_held');
  });

  it('succeeds for one of many parallel markers, and so does the mark', async () => {
    const markers = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    const countSuccesses = async (id: string, act: (id: string, sub: string) => ReturnType<typeof claim>) => {
      const answers = await Promise.all(markers.map((one) => act(id, one)));
      return answers.filter((one) => one.status === 200).length;
    };
    const ids = await Promise.all(Array.from({ length: 12 }, () => handIn()));
    const once = ids.map(() => 1);
    expect(await Promise.all(ids.map((id) => countSuccesses(id, claim)))).toEqual(once);
    expect((await claim(ids[0] ?? '', 'late')).body.code).toBe('claim_held');
    expect(await Promise.all(ids.map((id) => countSuccesses(id, (it, sub) => mark(it, sub, { score: 5 }))))).toEqual(
      once,
    );
    const history = await marker('tom').get(`/ws/piyue/${ids[0]}/history`);
    expect(history.body.items).toHaveLength(1);
  });
});

describe('The marking queue', () => {
  it('contains the submissions that the caller can mark now, oldest first', async () => {
    const first = await handIn();
    later(1);
    const second = await handIn('bob');
    const both = (list: string[]) => list.filter((id) => [first, second].includes(id));
    expect(both(await queueOf())).toEqual([first, second]);
    expect(both(await queueOf(supervisor()))).toEqual([first, second]);
    expect(both(await queueOf(marker('eve')))).toEqual([]);
    expect(both(await queueOf(marker('eve'), { lianxi_id: lianxi }))).toEqual([first, second]);
    await claim(first);
    expect(both(await queueOf())).toEqual([first, second]);
    expect(both(await queueOf(supervisor()))).toEqual([second]);
    later(30);
    expect(both(await queueOf(supervisor()))).toEqual([first, second]);
    await claim(first);
    await mark(first, 'tom', { score: 5 });
    expect(both(await queueOf())).toEqual([second]);
    expect(await queueOf(stranger())).toEqual([]);
  });

  it('matches the list of attempts, which distinguishes submitted, claimed and marked', async () => {
    const [waiting, claimed, marked] = [await handIn(), await handIn(), await handIn()];
    await claim(claimed, 'eve');
    await claim(marked);
    await mark(marked, 'tom', { score: 5 });
    const found = async (status: SubmissionStatus): Promise<string[]> => {
      const ids = (await attempts(marker('tom'), status)).map(({ id }) => id);
      return ids.filter((id) => [waiting, claimed, marked].includes(id));
    };
    expect([await found('submitted'), await found('marking'), await found('marked')]).toEqual([
      [waiting],
      [claimed],
      [marked],
    ]);
    later(30);
    expect(await found('submitted')).toEqual([claimed, waiting]);
  });

  it('continues by cursor while time passes', async () => {
    for (let n = 0; n < 3; n += 1) await handIn();
    const page = await marker('tom').ok(piyueCalls.listPiyueQueue, { query: { limit: '2' } });
    later(1);
    const next = await marker('tom').ok(piyueCalls.listPiyueQueue, {
      query: { limit: '2', cursor: page.next_cursor ?? '' },
    });
    const [last, following] = [page.items[1], next.items[0]];
    if (last === undefined || following === undefined) throw new Error('expected two pages');
    expect(following.id > last.id).toBe(true);
  });
});

describe('A mark', () => {
  it('needs a claim, is released, can be corrected with a reason, and keeps its history', async () => {
    const id = await handIn();
    expect((await mark(id, 'tom', { score: 5 })).body.code).toBe('not_claimed');
    expect((await release(id)).body).toMatchObject({ code: 'not_marked', submission_ids: [id] });
    await claim(id);
    const body = { score: 7.5, points: { q: '7.5' }, comment: 'good', rubric: [{ criterion: 'style', points: 3 }] };
    const first = await mark(id, 'tom', body);
    expect(first.body).toMatchObject({ status: 'marked', score: '7.50', points: { q: '7.50' }, claimed_by: null });
    expect((await mark(id, 'tom', body)).body.revision).toBe(1);
    expect((await mark(id, 'tom', { ...body, score: 8, points: { q: 8 } })).body.revision).toBe(2);
    const own = async () => (await attempts(student())).find((one) => one.id === id);
    expect(await own()).not.toHaveProperty('score');
    expect((await release(id, id)).body.items).toMatchObject([{ id, status: 'released' }]);
    expect((await release(id)).status).toBe(200);
    expect(await own()).toMatchObject({ score: '8.00', comment: 'good' });
    const unexplained = problemOf(await mark(id, 'tom', { score: 9 }));
    expect(errorPaths(unexplained)).toEqual([400, '/body/reason']);
    expect((await supervisor().put(`/ws/piyue/${id}`, { score: 9, reason: 'appeal' })).status).toBe(200);
    expect(await own()).toMatchObject({ score: '9.00', status: 'released', comment: null });
    const history = expectOk(await marker('tom').get(`/ws/piyue/${id}/history`));
    expect(history.items.map(({ score, marked_by, reason }) => [score, marked_by, reason])).toEqual([
      ['7.50', 'tom', null],
      ['8.00', 'tom', null],
      ['9.00', 'supervisor-1', 'appeal'],
    ]);
    const published = await fixture.events('course', courseEvents.submissionMarked);
    const events = published.filter(({ aggregate_id }) => aggregate_id === id);
    expect(events.map(({ data }) => data)).toMatchObject([{ revision: 1 }, { revision: 2 }, { revision: 3 }]);
    expect(events[0]?.data).toMatchObject({
      submitted_at: '2026-03-02T08:00:00.000Z',
      marked_at: '2026-03-02T08:00:00.000Z',
    });
  });

  it('is refused with points for a question that is not in the exercise', async () => {
    const id = await handIn();
    await claim(id);
    const refused = problemOf(await mark(id, 'tom', { score: 5, points: { x: 1 } }));
    expect(errorPaths(refused)).toEqual([400, '/body/points/x']);
  });

  it('is refused unless its score is the sum of its points, within the maximum; one answer has all problems', async () => {
    const id = await handIn();
    await claim(id);
    const wrong = async (body: object) => errorPaths(problemOf(await mark(id, 'tom', body)));
    expect(await wrong({ score: '10.01' })).toEqual([400, '/body/score']);
    expect(await wrong({ score: -1 })).toEqual([400, '/body/score']);
    expect(await wrong({ score: 5, points: { q: 4 } })).toEqual([400, '/body/score']);
    expect(await wrong({ score: 11, points: { q: 11, x: 1 } })).toEqual([
      400,
      '/body/points/q',
      '/body/points/x',
      '/body/score',
    ]);
    expect((await mark(id, 'tom', { score: 10, points: { q: 10 } })).status).toBe(200);
    await release(id);
    expect(await wrong({ score: 11 })).toEqual([400, '/body/reason', '/body/score']);
    const alone = await mark(id, 'tom', { score: 6, reason: 'read again' });
    expect(alone.body).toMatchObject({ score: '6.00', points: {} });
  });

  it('keeps every one of several parallel regrades, in order', async () => {
    const id = await handIn();
    await claim(id);
    await mark(id, 'tom', { score: 5 });
    await release(id);
    const markers = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    const sent = await Promise.all(markers.map((sub) => mark(id, sub, { score: 7, reason: `appeal of ${sub}` })));
    expect(sent.map(({ status }) => status)).toEqual(markers.map(() => 200));
    const history = expectOk(await marker('tom').get(`/ws/piyue/${id}/history`)).items;
    expect(history.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(
      history
        .slice(1)
        .map(({ marked_by }) => marked_by ?? '')
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(markers);
    expect(history.slice(1).map(({ reason }) => reason)).toEqual(
      history.slice(1).map(({ marked_by }) => `appeal of ${marked_by}`),
    );
    const last = history.at(-1);
    const again = { score: 7, reason: last?.reason ?? '' };
    expect((await mark(id, last?.marked_by ?? '', again)).body.revision).toBe(7);
    expect((await mark(id, last?.marked_by ?? '', { ...again, reason: 'another' })).body.revision).toBe(8);
  });

  it('is released for all listed submissions or for none', async () => {
    const [a, b] = [await handIn(), await handIn('bob')];
    for (const id of [a, b]) {
      await claim(id);
      await mark(id, 'tom', { score: 5 });
    }
    const unknown = problemOf(await release(a, randomUUID()));
    expect(errorPaths(unknown)).toEqual([404, '/body/submission_ids/1']);
    expect((await release(a, b)).body.items).toHaveLength(2);
    expect((await release(...Array.from({ length: 501 }, () => randomUUID()))).status).toBe(400);
  });

  it('cannot be read or changed from another org', async () => {
    const id = await handIn();
    for (const answer of [
      await stranger().post(`/ws/piyue/${id}/claim`),
      await stranger().put(`/ws/piyue/${id}`, { score: 1 }),
      await stranger().post('/ws/piyue/release', { submission_ids: [id] }),
      await stranger().get(`/ws/piyue/${id}/history`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    for (const [api, path] of [
      [student(), `/ws/piyue/${id}/claim`],
      [student(), '/ws/piyue/release'],
    ] as const) {
      expect((await api.post(path, {})).status).toBe(403);
    }
  });
});
