import { courseEvents, dakaCalls, jihuaCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { errorPaths, problemOf } from '../../../tools/proofs/test/problem.ts';

/** A Thursday. */
const clock = clockAt('2026-03-05T12:00:00Z');
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course'], clock: clock.now });
});
beforeEach(() => clock.reset());
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger, namesake } = peopleOf(() => fixture, 'ann');
const PLAN = { title: 'Reading', starts_on: '2026-03-02', ends_on: '2026-03-13', zone: 'UTC', student_ids: ['ann'] };
const jihua = (fields: Partial<Request<typeof jihuaCalls.createJihua>['body']> = {}) =>
  teacher().ok(jihuaCalls.createJihua, { body: { ...PLAN, ...fields } });
const checkIn = (jihua_id: string, fields: object = {}, sub = 'ann') =>
  student(sub).post('/ws/daka', { jihua_id, ...fields });
const streak = (jihua_id: string, api: Api = student(), student_id?: string) =>
  api.ok(dakaCalls.getDakaStreak, { query: { jihua_id, student_id } });

describe('A plan', () => {
  it('lists its planned days, and can be changed by its creator and supervisors only', async () => {
    const it = await jihua({
      weekdays: [5, 1, 3],
      frozen_dates: ['2026-03-09'],
      items: ['page 1', { title: 'page 2' }],
    });
    expect(it).toMatchObject({
      weekdays: [1, 3, 5],
      rrule: null,
      backfill_days: 2,
      items: [{ title: 'page 1' }, { title: 'page 2' }],
      planned_dates: ['2026-03-02', '2026-03-04', '2026-03-06', '2026-03-11', '2026-03-13'],
      student_ids: ['ann'],
    });
    const path = `/ws/jihua/${it.id}` as const;
    const rule = await teacher().patch(path, { rrule: 'FREQ=DAILY;INTERVAL=5', frozen_dates: null });
    expect(rule.body).toMatchObject({ weekdays: null, planned_dates: ['2026-03-02', '2026-03-07', '2026-03-12'] });
    expect((await teacher('teacher-2').patch(path, { title: 'no' })).status).toBe(403);
    expect((await student().patch(path, { title: 'no' })).status).toBe(403);
    for (const answer of [
      await stranger().get(path),
      await stranger().patch(path, { title: 'no' }),
      await stranger().delete(path),
      await stranger().put(`${path}/students`, { student_ids: [] }),
      await namesake().get(path),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await supervisor().delete(path)).status).toBe(204);
    expect((await supervisor().get(path)).status).toBe(404);
  });

  it('is refused if a field is invalid, and the problem names the field', async () => {
    const at = async (fields: object) =>
      errorPaths(await teacher().refused(jihuaCalls.createJihua, { body: { ...PLAN, ...fields } }));
    expect(await at({ ends_on: '2026-03-01' })).toEqual([400, '/body/ends_on']);
    expect(await at({ ends_on: '2036-03-01' })).toEqual([400, '/body/ends_on']);
    expect(await at({ zone: 'Mars/Base' })).toEqual([400, '/body/zone']);
    expect(await at({ weekdays: [8] })).toEqual([400, '/body/weekdays/0']);
    expect(await at({ rrule: 'FREQ=HOURLY' })).toEqual([400, '/body/rrule']);
    expect(await at({ rrule: 'FREQ=DAILY', weekdays: [1] })).toEqual([400, '/body/rrule']);
    expect(await at({ student_ids: Array.from({ length: 501 }, (_, n) => `s${n}`) })).toEqual([
      400,
      '/body/student_ids',
    ]);
  });

  it('can be read by its students, and by no other student', async () => {
    const it = await jihua({ title: '打卡 plan', student_ids: ['sam'] });
    const path = `/ws/jihua/${it.id}` as const;
    expect((await student('sam').get(path)).body).not.toHaveProperty('student_ids');
    expect((await student('eve').get(path)).status).toBe(404);
    const found = async (api: Api) => (await api.ok(jihuaCalls.listJihua, { query: { keyword: '打卡' } })).items.length;
    expect([await found(student('sam')), await found(student('eve')), await found(teacher('x'))]).toEqual([1, 0, 1]);
    const put = await teacher().put(`${path}/students`, { student_ids: ['eve', 'zoe'] });
    expect(put.body).toMatchObject({ student_ids: ['eve', 'zoe'], version: 2 });
    expect((await teacher().put(`${path}/students`, { student_ids: ['zoe', 'eve'] })).body.version).toBe(2);
    expect((await student('sam').get(path)).status).toBe(404);
    expect((await student('eve').get(path)).status).toBe(200);
  });

  it('keeps its stored days while its rhythm and frozen days stay, as an older version had computed others', async () => {
    const { id } = await jihua({ rrule: 'FREQ=YEARLY;BYYEARDAY=61,64,65;BYDAY=MO' });
    const stored = ['2026-03-02', '2026-03-05', '2026-03-06'];
    await fixture.sql('update course.jihua set planned_dates = $2 where id = $1', [id, stored]);
    const patch = async (fields: object) => (await teacher().patch(`/ws/jihua/${id}`, fields)).body;
    expect(await patch({ title: 'x', ends_on: PLAN.ends_on })).toMatchObject({ title: 'x', planned_dates: stored });
    expect((await teacher().get(`/ws/jihua/${id}`)).body).toMatchObject({ version: 2, planned_dates: stored });
    expect(await patch({ frozen_dates: ['2026-03-03'] })).toMatchObject({ planned_dates: ['2026-03-02'] });
  });

  it('keeps its past days after the first check-in', async () => {
    const it = await jihua();
    await checkIn(it.id);
    const patch = (fields: object) => teacher().patch(`/ws/jihua/${it.id}`, fields);
    for (const fields of [
      { weekdays: [1] },
      { zone: 'Asia/Tokyo' },
      { starts_on: '2026-03-01' },
      { ends_on: '2026-03-04' },
    ]) {
      const refused = await patch(fields);
      expect(refused.body).toMatchObject({ code: 'in_use', used_by: [{ what: 'daka', count: 1 }] });
    }
    expect((await patch({ title: 'x', zone: 'UTC', ends_on: '2026-03-06', frozen_dates: ['2026-03-03'] })).status).toBe(
      200,
    );
    expect((await teacher().delete(`/ws/jihua/${it.id}`)).body.code).toBe('in_use');
  });
});

describe('A check-in', () => {
  it('exists once a day, and a second one updates the first', async () => {
    const it = await jihua();
    const first = await checkIn(it.id, { content: 'page 1' });
    expect([first.status, first.body.local_date, first.body.backfilled]).toEqual([201, '2026-03-05', false]);
    const second = await checkIn(it.id, { content: { pages: [1, 2] } });
    expect([second.status, second.body.id, second.body.version]).toEqual([200, first.body.id, 2]);
    expect(second.body.content).toEqual({ pages: [1, 2] });
    const many = await Promise.all(Array.from({ length: 6 }, () => checkIn(it.id, { local_date: '2026-03-04' })));
    expect(many.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
    const listed = await student().get(`/ws/daka/list?jihua_id=${it.id}`);
    expect(listed.body.items.map(({ local_date }) => local_date)).toEqual(['2026-03-05', '2026-03-04']);
  });

  it('accepts content of at most 64 levels and 10,000 members', async () => {
    const it = await jihua();
    const nested = (levels: number): unknown =>
      JSON.parse(`${'{"a":['.repeat(levels / 2)}${levels % 2 === 0 ? '' : '{}'}${']}'.repeat(levels / 2)}`);
    for (const levels of [63, 64]) {
      const stored = await checkIn(it.id, { content: nested(levels) });
      expect([stored.status < 300, stored.body.content]).toEqual([true, nested(levels)]);
    }
    const [listed] = (await student().get(`/ws/daka/list?jihua_id=${it.id}`)).body.items;
    expect(listed?.content).toEqual(nested(64));
    const sent = (content: string) =>
      student().send('POST', '/ws/daka', `{"jihua_id":"${it.id}","content":${content}}`, {
        'content-type': 'application/json',
      });
    const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    const wide = (entries: number): string => `{"list":[${'1,'.repeat(entries - 2)}1]}`;
    const keys = `{"${'k'.repeat(20_000)}":1}`;
    for (const content of [deep(65), deep(1_500), deep(2_500), deep(100_000), wide(10_001), keys]) {
      expect(problemOf(await sent(content))).toMatchObject({
        code: 'invalid_request',
        errors: [{ path: '/body/content' }],
      });
    }
  });

  it('is accepted only for a planned day inside the backfill window', async () => {
    const it = await jihua({ weekdays: [1, 2, 3, 4], frozen_dates: ['2026-03-04'] });
    const code = async (local_date: string) => (await checkIn(it.id, { local_date })).body.code ?? 'fine';
    expect(await code('2026-03-03')).toBe('fine');
    expect(await code('2026-03-02')).toBe('backfill_closed');
    expect(await code('2026-03-04')).toBe('backfill_closed');
    expect(await code('2026-03-06')).toBe('backfill_closed');
    expect(await code('2026-03-09')).toBe('backfill_closed');
    expect((await checkIn(it.id, { local_date: 'today' })).status).toBe(400);
  });

  it('is recorded for the local day in the plan’s zone', async () => {
    // 2026-03-08: clocks go forward in New York at 07:00 UTC.
    const it = await jihua({ zone: 'America/New_York', backfill_days: 0 });
    const days = [];
    for (const at of ['2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z']) {
      clock.set(at);
      const made = await checkIn(it.id);
      days.push([made.status, made.body.local_date]);
    }
    expect(days).toEqual([
      [201, '2026-03-07'],
      [201, '2026-03-08'],
      [200, '2026-03-08'],
      [201, '2026-03-09'],
    ]);
    expect(await streak(it.id)).toMatchObject({ current: 3, longest: 3, planned: 8, done: 3 });
  });

  it('belongs to the calling student; staff name the student', async () => {
    const it = await jihua({ student_ids: ['ann', 'bob'] });
    expect((await checkIn(it.id, { student_id: 'bob' })).status).toBe(403);
    expect((await student().get('/ws/daka/list?student_id=bob')).status).toBe(403);
    expect((await student().get(`/ws/daka/streak?jihua_id=${it.id}&student_id=bob`)).status).toBe(403);
    const body = { jihua_id: it.id };
    expect(errorPaths(await student('eve').refused(dakaCalls.putDaka, { body }))).toEqual([404, '/body/jihua_id']);
    expect((await student('eve').get(`/ws/daka/streak?jihua_id=${it.id}`)).status).toBe(404);
    const staff = (fields: object) => teacher().post('/ws/daka', { jihua_id: it.id, ...fields });
    expect(errorPaths(problemOf(await staff({})))).toEqual([400, '/body/student_id']);
    expect(errorPaths(problemOf(await staff({ student_id: 'eve' })))).toEqual([404, '/body/student_id']);
    expect((await staff({ student_id: 'bob' })).status).toBe(201);
    expect((await teacher().get(`/ws/daka/list?jihua_id=${it.id}&student_id=bob`)).body.items).toHaveLength(1);
    expect((await teacher().get(`/ws/daka/streak?jihua_id=${it.id}`)).status).toBe(400);
    expect((await streak(it.id, teacher(), 'bob')).current).toBe(1);
    expect((await namesake().post('/ws/daka', { jihua_id: it.id })).status).toBe(404);
    expect((await stranger().get(`/ws/daka/list?jihua_id=${it.id}`)).body.items).toEqual([]);
    expect((await stranger().get(`/ws/daka/streak?jihua_id=${it.id}&student_id=bob`)).status).toBe(404);
  });
});

it('a streak continues over days off and frozen days, and today does not break it before its check-in', async () => {
  const it = await jihua({ weekdays: [1, 2, 4, 5], frozen_dates: ['2026-03-03'] });
  clock.set('2026-03-02T12:00:00Z');
  expect(await streak(it.id)).toEqual({ current: 0, longest: 0, rate: null, planned: 0, done: 0 });
  await checkIn(it.id);
  clock.set('2026-03-05T12:00:00Z');
  expect(await streak(it.id)).toEqual({ current: 1, longest: 1, rate: 1, planned: 1, done: 1 });
  await checkIn(it.id);
  expect(await streak(it.id)).toEqual({ current: 2, longest: 2, rate: 1, planned: 2, done: 2 });
  clock.set('2026-03-09T12:00:00Z');
  expect(await streak(it.id)).toEqual({ current: 0, longest: 2, rate: 2 / 3, planned: 3, done: 2 });
  clock.set('2026-04-09T12:00:00Z');
  expect(await streak(it.id)).toMatchObject({ current: 0, longest: 2, planned: 7, done: 2 });
});

describe('A student who joins a plan', () => {
  const put = (id: string, body: Request<typeof jihuaCalls.putJihuaStudents>['body']) =>
    teacher().ok(jihuaCalls.putJihuaStudents, { path: { id }, body });

  it('belongs to it from that day on; earlier days do not count and accept no check-in', async () => {
    const it = await jihua({ backfill_days: 9 });
    expect(it.students).toEqual([{ student_id: 'ann', student_name: null, since: '2026-03-02' }]);
    expect((await put(it.id, { student_ids: ['ann', 'late'] })).students).toEqual([
      { student_id: 'ann', student_name: null, since: '2026-03-02' },
      { student_id: 'late', student_name: null, since: '2026-03-05' },
    ]);
    expect((await checkIn(it.id, { local_date: '2026-03-04' }, 'late')).body.code).toBe('backfill_closed');
    expect((await checkIn(it.id, { local_date: '2026-03-04' })).status).toBe(201);
    expect((await checkIn(it.id, {}, 'late')).status).toBe(201);
    expect(await streak(it.id, student('late'))).toEqual({ current: 1, longest: 1, rate: 1, planned: 1, done: 1 });
    expect(await streak(it.id)).toMatchObject({ current: 1, planned: 3, done: 1 });
    expect((await student('late').get(`/ws/jihua/${it.id}`)).body.since).toBe('2026-03-05');
    clock.set('2026-03-07T12:00:00Z');
    const again = await put(it.id, { student_ids: ['late', 'said'], since: '2026-03-03' });
    expect(again.students).toEqual([
      { student_id: 'late', student_name: null, since: '2026-03-05' },
      { student_id: 'said', student_name: null, since: '2026-03-03' },
    ]);
    expect(await streak(it.id, teacher(), 'said')).toMatchObject({ planned: 4, done: 0 });
    expect(await streak(it.id)).toMatchObject({ planned: 3, done: 1 });
    const same = await put(it.id, { student_ids: ['said', 'late'], since: '2026-03-01' });
    expect(same).toEqual(again);
    expect((await teacher().ok(jihuaCalls.getJihua, { path: { id: it.id } })).students).toEqual(again.students);
    const bare = again.students?.map(({ student_id, since }) => ({ student_id, since }));
    const events = await fixture.events('course', courseEvents.jihuaStudentsPut);
    expect(events.at(-1)?.data).toEqual({ id: it.id, student_ids: ['late', 'said'], students: bare });
  });

  it('joins on the current day in the plan’s zone', async () => {
    const it = await jihua({ zone: 'Pacific/Kiritimati' });
    const { students } = await put(it.id, { student_ids: ['ann', 'late'] });
    expect(students?.at(-1)).toEqual({ student_id: 'late', student_name: null, since: '2026-03-06' });
  });

  it('before its start has all of its days, also after its start moves', async () => {
    const it = await jihua({ starts_on: '2026-03-09', student_ids: ['ann'] });
    await put(it.id, { student_ids: ['ann', 'bob'] });
    const path = { id: it.id };
    const early = await teacher().ok(jihuaCalls.updateJihua, { path, body: { starts_on: '2026-03-06' } });
    expect(early.students?.map(({ since }) => since)).toEqual(['2026-03-06', '2026-03-06']);
    const later = await teacher().ok(jihuaCalls.updateJihua, { path, body: { starts_on: '2026-03-02' } });
    expect(later.students?.map(({ since }) => since)).toEqual(['2026-03-02', '2026-03-05']);
  });
});

it('extending an ended plan makes no past day missed', async () => {
  const it = await jihua({ ends_on: '2026-03-05' });
  await checkIn(it.id);
  clock.set('2026-03-09T12:00:00Z');
  const before = await streak(it.id);
  expect(before).toMatchObject({ current: 1, planned: 4, done: 1 });
  const path = { id: it.id };
  const patched = await teacher().ok(jihuaCalls.updateJihua, { path, body: { ends_on: '2026-03-13' } });
  expect(patched.frozen_dates).toEqual(['2026-03-06', '2026-03-07', '2026-03-08']);
  expect(await streak(it.id)).toEqual(before);
  await teacher().ok(jihuaCalls.updateJihua, { path, body: { title: 'again' } });
  expect(await streak(it.id)).toEqual(before);
  await checkIn(it.id);
  expect(await streak(it.id)).toMatchObject({ current: 2, planned: 5, done: 2 });
});

it('refuses an invalid recurrence rule and names every problem', async () => {
  const messageOf = async (rrule: string) =>
    (await teacher().refused(jihuaCalls.createJihua, { body: { ...PLAN, rrule } })).errors;
  const path = '/body/rrule';
  expect(await messageOf('FREQ=DAILY;UNTIL=20260310T000000Z')).toEqual([
    { path, message: 'UNTIL must be a date: a plan has days' },
  ]);
  expect(await messageOf('FREQ=DAILY;UNTIL=20269999')).toEqual([
    { path, message: 'UNTIL must be a date such as 20260331' },
  ]);
  expect(await messageOf('FREQ=WEEKLY;BYMONTHDAY=1')).toEqual([
    { path, message: 'BYMONTHDAY cannot be combined with FREQ=WEEKLY' },
  ]);
  expect(await messageOf('FREQ=HOURLY;BYMONTH=13')).toEqual([
    { path, message: 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY' },
    { path, message: 'BYMONTH must be numbers from 1 to 12' },
  ]);
  expect(await messageOf('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')).toEqual([
    { path, message: 'makes no day of the plan' },
  ]);
  expect((await teacher().post('/ws/jihua', { ...PLAN, rrule: 'FREQ=DAILY;UNTIL=20260310' })).status).toBe(201);
});
