import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const START = new Date('2026-03-02T08:00:00Z');
let fixture: Fixture;
let lianxi: string;
let clock = START;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz'], clock: () => clock });
  const course = await marker('tom').post('/ws/course', { title: 'Essays', status: 'active' });
  const section = await marker('tom').post(`/ws/course/${course.body.id}/section`, { title: 'One' });
  const created = await marker('tom').post('/ws/lianxi', {
    title: 'Essay',
    course_section_id: section.body.id,
    content: { questions: [{ id: 'q', kind: 'free_text', prompt: 'why?', points: 10 }] },
    student_ids: ['ann', 'bob'],
  });
  lianxi = created.body.id;
});
beforeEach(() => {
  clock = START;
});
afterAll(() => fixture?.stop());

const supervisor = () => fixture.as({ role: 'SUPERVISOR' });
const marker = (sub: string) => fixture.as({ role: 'TEACHER', sub });
const student = (sub = 'ann') => fixture.as({ role: 'STUDENT', sub });
const stranger = () => fixture.as({ role: 'SUPERVISOR', org: randomUUID() });
const later = (minutes: number): void => {
  clock = new Date(clock.getTime() + minutes * 60_000);
};
const handIn = async (sub = 'ann'): Promise<string> =>
  (await student(sub).post(`/ws/lianxi/${lianxi}/submission`, { answers: { q: 'text' } })).body.id;
const claim = (id: string, sub = 'tom') => marker(sub).post(`/ws/piyue/${id}/claim`);
const mark = (id: string, sub: string, body: object) => marker(sub).put(`/ws/piyue/${id}`, body);
const release = (...submission_ids: string[]) => marker('tom').post('/ws/piyue/release', { submission_ids });
const queueOf = async (api = marker('tom'), query = ''): Promise<string[]> =>
  (await api.get(`/ws/piyue/queue?limit=100${query}`)).body.items.map((row: { id: string }) => row.id);

describe('a claim', () => {
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

  it('is won by one of many who try at once, and so is the mark', async () => {
    const markers = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    const all = async (id: string, act: (id: string, sub: string) => ReturnType<typeof claim>) => {
      const answers = await Promise.all(markers.map((one) => act(id, one)));
      return answers.filter((one) => one.status === 200).length;
    };
    const ids = await Promise.all(Array.from({ length: 12 }, () => handIn()));
    const once = ids.map(() => 1);
    expect(await Promise.all(ids.map((id) => all(id, claim)))).toEqual(once);
    expect((await claim(ids[0] ?? '', 'late')).body.code).toBe('claim_held');
    expect(await Promise.all(ids.map((id) => all(id, (it, sub) => mark(it, sub, { score: 5 }))))).toEqual(once);
    const history = await marker('tom').get(`/ws/piyue/${ids[0]}/history`);
    expect(history.body.items).toHaveLength(1);
  });
});

describe('the queue', () => {
  it('shows what the caller can mark now, oldest first', async () => {
    const first = await handIn();
    later(1);
    const second = await handIn('bob');
    const both = (list: string[]) => list.filter((id) => [first, second].includes(id));
    expect(both(await queueOf())).toEqual([first, second]);
    expect(both(await queueOf(supervisor()))).toEqual([first, second]);
    expect(both(await queueOf(marker('eve')))).toEqual([]);
    expect(both(await queueOf(marker('eve'), `&lianxi_id=${lianxi}`))).toEqual([first, second]);
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

  it('is told apart in the list of attempts: waiting, claimed, marked', async () => {
    const [waiting, claimed, marked] = [await handIn(), await handIn(), await handIn()];
    await claim(claimed, 'eve');
    await claim(marked);
    await mark(marked, 'tom', { score: 5 });
    const found = async (status: string): Promise<string[]> => {
      const list = await marker('tom').get(`/ws/lianxi/${lianxi}/submission?limit=100&status=${status}`);
      const ids: string[] = list.body.items.map((row: { id: string }) => row.id);
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

  it('goes on by cursor while time passes', async () => {
    for (let n = 0; n < 3; n += 1) await handIn();
    const page = await marker('tom').get('/ws/piyue/queue?limit=2');
    later(1);
    const next = await marker('tom').get(`/ws/piyue/queue?limit=2&cursor=${encodeURIComponent(page.body.next_cursor)}`);
    expect(next.status).toBe(200);
    expect(next.body.items[0].id > page.body.items[1].id).toBe(true);
  });
});

describe('a mark', () => {
  it('is given under a claim, released, and corrected with a reason; its history stays', async () => {
    const id = await handIn();
    expect((await mark(id, 'tom', { score: 5 })).body.code).toBe('not_claimed');
    expect((await release(id)).body).toMatchObject({ code: 'not_marked', submission_ids: [id] });
    await claim(id);
    const body = { score: 7.5, points: { q: '7.5' }, comment: 'good', rubric: [{ criterion: 'style', points: 3 }] };
    const first = await mark(id, 'tom', body);
    expect(first.body).toMatchObject({ status: 'marked', score: '7.50', points: { q: '7.50' }, claimed_by: null });
    expect((await mark(id, 'tom', body)).body.revision).toBe(1);
    expect((await mark(id, 'tom', { ...body, score: 8 })).body.revision).toBe(2);
    const own = async () =>
      (await student().get(`/ws/lianxi/${lianxi}/submission?limit=100`)).body.items.find(
        (row: { id: string }) => row.id === id,
      );
    expect(await own()).not.toHaveProperty('score');
    expect((await release(id, id)).body.items).toMatchObject([{ id, status: 'released' }]);
    expect((await release(id)).status).toBe(200);
    expect(await own()).toMatchObject({ score: '8.00', comment: 'good' });
    const silent = await mark(id, 'tom', { score: 9 });
    expect([silent.status, silent.body.errors[0].path]).toEqual([400, '/body/reason']);
    expect((await supervisor().put(`/ws/piyue/${id}`, { score: 9, reason: 'appeal' })).status).toBe(200);
    expect(await own()).toMatchObject({ score: '9.00', status: 'released', comment: null });
    const history = await marker('tom').get(`/ws/piyue/${id}/history`);
    expect(
      history.body.items.map((row: { score: string; marked_by: string; reason: string }) => [
        row.score,
        row.marked_by,
        row.reason,
      ]),
    ).toEqual([
      ['7.50', 'tom', null],
      ['8.00', 'tom', null],
      ['9.00', 'supervisor-1', 'appeal'],
    ]);
    const told = await fixture.told('course', 'course.piyue.marked');
    const events = told.filter(({ aggregate_id }) => aggregate_id === id);
    expect(events.map(({ data }) => data)).toMatchObject([{ revision: 1 }, { revision: 2 }, { revision: 3 }]);
    expect(events[0]?.data).toMatchObject({
      submitted_at: '2026-03-02T08:00:00.000Z',
      marked_at: '2026-03-02T08:00:00.000Z',
    });
  });

  it('names questions of the practice', async () => {
    const id = await handIn();
    await claim(id);
    const refused = await mark(id, 'tom', { score: 5, points: { x: 1 } });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/body/points/x']);
  });

  it('is released for many, all or none', async () => {
    const [a, b] = [await handIn(), await handIn('bob')];
    for (const id of [a, b]) {
      await claim(id);
      await mark(id, 'tom', { score: 5 });
    }
    const unknown = await release(a, randomUUID());
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([404, '/body/submission_ids/1']);
    expect((await release(a, b)).body.items).toHaveLength(2);
    expect((await release(...Array.from({ length: 501 }, () => randomUUID()))).status).toBe(400);
  });

  it('is out of reach for another org', async () => {
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
