import { FIGURES, statsCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Answer, Api } from '../../../tools/proofs/test/api.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { Answer as Sent, HeaderValues } from '../../../tools/proofs/test/http.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
const clock = clockAt('2026-11-20T12:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], clock: clock.now });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
const tokenOf = ({ headers }: Sent): HeaderValues => ({
  'x-consistency-token': headers.get('x-consistency-token') ?? '',
});

/** Reads statistics with the token of a write. Expects that they include it. */
const readAfter = async <B extends { included: boolean }>(
  write: Sent,
  read: (token: HeaderValues) => Promise<Answer<B>>,
): Promise<B> => {
  const body = expectOk(await read(tokenOf(write)));
  expect(body.included).toBe(true);
  return body;
};

const clazzWith = async (name: string, student_ids: string[], lead_teacher_id = 'teacher-1'): Promise<string> => {
  const { id } = expectOk(await supervisor().post('/clazz', { name, lead_teacher_id }), 201);
  expectOk(await supervisor().post(`/clazz/${id}/activate`));
  const since = '2026-01-01T00:00:00Z';
  expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids, since }), 201);
  return id;
};
const lesson = async (clazz_id: string, starts_at: string, fields = {}) => {
  const ends_at = new Date(Date.parse(starts_at) + 3_600_000).toISOString();
  const answer = await supervisor().post(`/clazz/${clazz_id}/lesson`, { starts_at, ends_at, hours: '1.50', ...fields });
  expectOk(answer, 201);
  return answer;
};
const rollCall = async (lesson_id: string, marks: Record<string, string>, reason?: string) => {
  const answer = await supervisor().put(`/clazz/lesson/${lesson_id}/roll-call`, {
    marks: Object.entries(marks).map(([student_id, mark]) => ({ student_id, mark })),
    ...(reason === undefined ? {} : { reason }),
  });
  expectOk(answer);
  return answer;
};
const NOVEMBER = 'from=2026-11-01&to=2026-11-30';
const DECEMBER = 'from=2026-12-01&to=2026-12-31';

/** Reads all pages of an explanation and adds up the `counts` of the rows. */
const explained = async (api: Api, query: string, limit = 20): Promise<number> => {
  let sum = 0;
  for (let cursor = ''; ;) {
    const page = expectOk(await api.get(`/clazz/stats/explain?${NOVEMBER}&limit=${limit}&${query}${cursor}`));
    sum += page.items.reduce((all, row) => all + Number(row.counts), 0);
    if (page.next_cursor === null) return sum;
    cursor = `&cursor=${page.next_cursor}`;
    // Time passes between pages.
    clock.advance(1);
  }
};

/** Rates are not explained. Their numerators and denominators are figures with their own explanations. */
const RATES = new Set(['rate', 'still_attainable_rate', 'average_seconds']);
const HOURS = /^-?\d+\.\d\d$/;
/** All figures of an answer outside its lists: numbers and hours. */
const figuresOf = (answer: object): [figure: string, value: number][] =>
  Object.entries(answer).flatMap(([name, value]: [string, unknown]): [string, number][] => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return figuresOf(value);
    if (RATES.has(name)) return [];
    const isFigure = typeof value === 'number' || (typeof value === 'string' && HOURS.test(value));
    return isFigure ? [[name === 'seconds' ? 'marking_turnaround' : name, Number(value)]] : [];
  });
const explainedFigures = new Set<string>();
/** Expects that the rows of the explanation of each figure add up to the figure. */
const expectExplained = async (api: Api, subject: string, answer: object): Promise<void> => {
  for (const [figure, value] of figuresOf(answer)) {
    explainedFigures.add(figure);
    expect([figure, await explained(api, `figure=${figure}${subject}`)]).toEqual([figure, value]);
  }
};

describe('Statistics', () => {
  let clazz_id: string;
  const lessons: string[] = [];
  beforeAll(async () => {
    clazz_id = await clazzWith('Algebra', ['ann', 'ben']);
    for (const at of ['2026-11-18T10:00:00Z', '2026-11-19T13:00:00Z', '2026-11-27T10:00:00Z']) {
      lessons.push((await lesson(clazz_id, at)).body.id);
    }
  });

  it('count the lessons, marks and hours of a student, and the attendance that is still attainable', async () => {
    expectOk(await supervisor().post('/clazz/hour/grant', { student_id: 'ann', hours: '10' }), 201);
    expectOk(
      await supervisor().post('/clazz/hour/grant', {
        student_id: 'ann',
        hours: '4',
        expires_at: '2026-12-01T00:00:00Z',
      }),
      201,
    );
    await rollCall(lessons[0] ?? '', { ann: 'present', ben: 'late' });
    const write = await rollCall(lessons[1] ?? '', { ann: 'absent', ben: 'leave' });
    const ann = await readAfter(write, (token) => student('ann').get(`/clazz/stats/my-lessons?${NOVEMBER}`, token));
    expect(ann).toMatchObject({
      student_id: 'ann',
      range: { from: '2026-11-01', to: '2026-11-30', zone: 'UTC', unit: 'day' },
      totals: {
        scheduled: 3,
        held: 2,
        present: 1,
        late: 0,
        absent: 1,
        leave: 0,
        makeup: 0,
        trial: 0,
        hours_consumed: '3.00',
      },
      hours: { granted: '14.00', consumed: '3.00', remaining: '11.00', expiring_30d: '1.00' },
      attendance: { numerator: 1, denominator: 2, rate: 0.5, still_attainable_rate: 2 / 3 },
      clazzes: [{ clazz_id, name: 'Algebra', scheduled: 3, held: 2, present: 1 }],
      upcoming: [{ lesson_id: lessons[2], clazz_id, starts_at: '2026-11-27T10:00:00.000Z' }],
    });
    expect(ann.series).toHaveLength(30);
    expect(ann.series[17]).toMatchObject({ start: '2026-11-18', scheduled: 1, held: 1, present: 1 });
    expect(ann.series[0]).toMatchObject({ start: '2026-11-01', scheduled: 0, attendance: { rate: null } });
  });

  it('count the work of a teacher', async () => {
    const body = expectOk(await teacher().get(`/clazz/stats/teacher-detail?${NOVEMBER}&unit=week`));
    expect(body).toMatchObject({
      teacher_id: 'teacher-1',
      totals: {
        lessons_taught: 2,
        hours_taught: '3.00',
        students: 2,
        roll_calls: 2,
        // The roll calls are taken on 20 November at noon: that of the 18th is too late.
        roll_calls_in_time: 1,
        markings: 0,
        leave_handled: 0,
      },
      attendance: { numerator: 2, denominator: 3, rate: 2 / 3, still_attainable_rate: 4 / 5 },
      clazzes: [{ clazz_id, name: 'Algebra', lessons_taught: 2, students: 2 }],
    });
    expect(body.series.map((row) => row.start)).toEqual([
      '2026-10-26',
      '2026-11-02',
      '2026-11-09',
      '2026-11-16',
      '2026-11-23',
      '2026-11-30',
    ]);
    expect(body.series[3]).toMatchObject({ lessons_taught: 2, students: 2 });
    expect(body.series[4]).toMatchObject({ lessons_taught: 0, scheduled: 1, students: 2 });
  });

  it('show a class with each student, and the organization', async () => {
    const clazz = expectOk(await teacher('teacher-9').get(`/clazz/stats/clazz/${clazz_id}?${NOVEMBER}`));
    expect(clazz).toMatchObject({
      clazz_id,
      totals: { scheduled: 3, held: 2, present: 1, late: 1, absent: 1, leave: 1 },
      attendance: { numerator: 2, denominator: 3 },
      students: [
        { student_id: 'ann', scheduled: 3, held: 2, present: 1, absent: 1 },
        { student_id: 'ben', scheduled: 3, held: 2, late: 1, leave: 1 },
      ],
    });
    const org = expectOk(await supervisor().get(`/clazz/stats/org-overview?${NOVEMBER}`));
    expect(org).toMatchObject({
      totals: { scheduled: 3, held: 2, present: 1, late: 1, absent: 1, leave: 1 },
      attendance: { numerator: 2, denominator: 3, rate: 2 / 3, still_attainable_rate: 4 / 5 },
      clazzes_active: 1,
      students_active: 2,
      hours: { granted: '14.00' },
    });
  });

  it('follow corrections: a revised mark, a moved lesson, another teacher, a cancelled lesson', async () => {
    const revised = await rollCall(lessons[1] ?? '', { ann: 'present' }, 'was there');
    expect(
      (await readAfter(revised, (token) => student('ann').get(`/clazz/stats/my-lessons?${NOVEMBER}`, token))).totals,
    ).toMatchObject({
      present: 2,
      absent: 0,
    });
    const moved = await supervisor().patch(`/clazz/lesson/${lessons[2]}`, {
      starts_at: '2026-12-04T10:00:00Z',
      ends_at: '2026-12-04T11:00:00Z',
      teacher_id: 'teacher-2',
    });
    expectOk(moved);
    expect(
      (await readAfter(moved, (token) => student('ann').get(`/clazz/stats/my-lessons?${NOVEMBER}`, token))).totals,
    ).toMatchObject({ scheduled: 2 });
    expect(
      (await readAfter(moved, (token) => student('ann').get(`/clazz/stats/my-lessons?${DECEMBER}`, token))).totals,
    ).toMatchObject({ scheduled: 1 });
    const other = await readAfter(moved, (token) =>
      supervisor().get(`/clazz/stats/teacher-detail?teacher_id=teacher-2&${DECEMBER}`, token),
    );
    expect(other.totals).toMatchObject({ scheduled: 1, lessons_taught: 0, students: 2 });
    const cancelled = await supervisor().post(`/clazz/lesson/${lessons[0]}/cancel`, { reason: 'flood', by: 'org' });
    expectOk(cancelled);
    const ann = await readAfter(cancelled, (token) => student('ann').get(`/clazz/stats/my-lessons?${NOVEMBER}`, token));
    expect(ann.totals).toMatchObject({ scheduled: 1, held: 1, present: 1, hours_consumed: '1.50' });
    expect(ann.hours).toMatchObject({ consumed: '1.50', remaining: '12.50' });
    const org = await readAfter(cancelled, (token) => supervisor().get(`/clazz/stats/org-overview?${NOVEMBER}`, token));
    expect(org.totals).toMatchObject({ scheduled: 1, held: 1, present: 1, late: 0, leave: 1 });
  });

  it('explain a figure by the records that it counts', async () => {
    expect(await explained(student('ann'), 'figure=present', 2)).toBe(1);
    const [row] = expectOk(await student('ann').get(`/clazz/stats/explain?figure=present&${NOVEMBER}`)).items;
    expect(row).toMatchObject({
      source: 'mark',
      clazz_name: 'Algebra',
      lesson_id: lessons[1],
      student_id: 'ann',
      state: 'present',
      by: 'supervisor-1',
      revision: 2,
    });
  });

  it('explain a figure only to callers who may read it', async () => {
    const status = async (api: Api, query: string): Promise<number> =>
      (await api.get(`/clazz/stats/explain?${query}`)).status;
    expect(await status(student('ann'), 'figure=present&student_id=ben')).toBe(403);
    expect(await status(student('ann'), 'figure=held&teacher_id=teacher-1')).toBe(403);
    expect(await status(teacher(), 'figure=held&teacher_id=teacher-2')).toBe(403);
    expect(await status(teacher(), 'figure=present&student_id=ben')).toBe(200);
    expect(await status(teacher(), 'figure=present&student_id=ben&teacher_id=teacher-1')).toBe(400);
    expect(await status(student('ann'), 'figure=hours_taught')).toBe(400);
    expect(await status(student('ann'), 'figure=fun')).toBe(400);
    expect(await status(student('ann'), 'figure=present&cursor=forged')).toBe(400);
  });

  it('contain the names of people after the directory has them', async () => {
    const members = [
      { user_id: 'ann', role: 'STUDENT', display_name: 'Ann Lee' },
      { user_id: 'teacher-1', role: 'TEACHER', display_name: 'Mr Wu' },
    ];
    const write = await supervisor().put('/ws/member/bulk', { members });
    expectOk(write);
    expect((await readAfter(write, (token) => student('ann').get('/clazz/stats/my-lessons', token))).student_name).toBe(
      'Ann Lee',
    );
    expect((await readAfter(write, (token) => teacher().get('/clazz/stats/teacher-detail', token))).teacher_name).toBe(
      'Mr Wu',
    );
    const { students } = await readAfter(write, (token) => teacher().get(`/clazz/stats/clazz/${clazz_id}`, token));
    expect(students[0]).toMatchObject({ student_id: 'ann', name: 'Ann Lee' });
  });

  it('count and show a booked make-up lesson until the lesson is cancelled', async () => {
    const missed = (await lesson(clazz_id, '2026-11-24T08:00:00Z')).body.id;
    const otherClazz = await clazzWith('Geometry', ['cy']);
    const booked = (await lesson(otherClazz, '2026-11-25T08:00:00Z')).body.id;
    const request = await student('ben').post('/clazz/leave', { lesson_id: missed, reason: 'a wedding' });
    const [leave] = expectOk(request, 201).items;
    expectOk(await teacher().post(`/clazz/leave/${leave?.id}/approve`));
    const lessonsAfter = async (write: Sent): Promise<{ next: string[]; scheduled: number }> => {
      const { upcoming, totals, clazzes } = await readAfter(write, (token) =>
        student('ben').get(`/clazz/stats/my-lessons?${NOVEMBER}`, token),
      );
      expect(clazzes.reduce((all, row) => all + row.scheduled, 0)).toBe(totals.scheduled);
      return { next: upcoming.map((row) => row.lesson_id), scheduled: totals.scheduled };
    };
    const { scheduled: before } = await lessonsAfter(request);
    const use = await student('ben').post(`/clazz/leave/${leave?.id}/make-up`, { lesson_id: booked });
    expectOk(use);
    const first = await lessonsAfter(use);
    expect(first.next).toContain(booked);
    expect(first.scheduled).toBe(before + 1);
    const cancel = await supervisor().post(`/clazz/lesson/${booked}/cancel`, { reason: 'snow' });
    expectOk(cancel);
    const without = await lessonsAfter(cancel);
    expect(without.next).not.toContain(booked);
    expect(without.scheduled).toBe(before);
    const again = (await lesson(otherClazz, '2026-11-26T08:00:00Z')).body.id;
    const second = await student('ben').post(`/clazz/leave/${leave?.id}/make-up`, { lesson_id: again });
    expectOk(second);
    expect((await lessonsAfter(second)).next).toContain(again);
  });

  it('count the marking of a class’s exercise for the class', async () => {
    const course = expectOk(await teacher().post('/ws/course', { title: 'Algebra', status: 'active' }), 201);
    const section = expectOk(await teacher().post(`/ws/course/${course.id}/section`, { title: 'One' }), 201);
    const question = { id: 'q', kind: 'free_text', prompt: 'why?', points: 10 };
    const fields = { title: 'Essay', course_section_id: section.id, content: { questions: [question] } };
    const lianxi = expectOk(await teacher().post('/ws/lianxi', { ...fields, clazz_id }), 201);
    const answers = { answers: { q: 'because' } };
    const { id } = expectOk(await student('ann').post(`/ws/lianxi/${lianxi.id}/submission`, answers), 201);
    clock.advance(7_200_000);
    expectOk(await teacher('teacher-3').post(`/ws/piyue/${id}/claim`));
    const write = await teacher('teacher-3').put(`/ws/piyue/${id}`, { score: 8 });
    expectOk(write);
    const detail = await readAfter(write, (token) =>
      teacher('teacher-3').get(`/clazz/stats/teacher-detail?${NOVEMBER}`, token),
    );
    const turnaround = { seconds: 7_200, markings: 1, average_seconds: 7_200 };
    expect(detail).toMatchObject({
      totals: { markings: 1 },
      marking_turnaround: turnaround,
      clazzes: [{ clazz_id, markings: 1, marking_turnaround: turnaround }],
    });
    const none = { seconds: 0, markings: 0, average_seconds: null };
    expect(detail.series.map((row) => row.marking_turnaround)).toEqual(
      detail.series.map(({ start }) => (start === '2026-11-20' ? turnaround : none)),
    );
    const org = expectOk(await supervisor().get(`/clazz/stats/org-overview?${NOVEMBER}`));
    expect(org.marking_turnaround).toEqual(turnaround);
    expect(org.series[19]?.marking_turnaround).toEqual(turnaround);
    const explained = expectOk(
      await teacher('teacher-3').get(
        `/clazz/stats/explain?figure=markings&teacher_id=teacher-3&clazz_id=${clazz_id}&${NOVEMBER}`,
      ),
    );
    expect(explained.items).toMatchObject([{ id, clazz_id, clazz_name: 'Algebra' }]);
  });

  it('count no marking when a person changes a machine’s mark', async () => {
    const course = expectOk(await teacher().post('/ws/course', { title: 'Algebra', status: 'active' }), 201);
    const section = expectOk(await teacher().post(`/ws/course/${course.id}/section`, { title: 'One' }), 201);
    const question = { id: 'q', kind: 'true_false', prompt: 'so?', answer_key: true, points: 10 };
    const fields = { title: 'Quiz', course_section_id: section.id, content: { questions: [question] } };
    const lianxi = expectOk(await teacher().post('/ws/lianxi', { ...fields, clazz_id }), 201);
    const answers = { answers: { q: false } };
    const { id } = expectOk(await student('ann').post(`/ws/lianxi/${lianxi.id}/submission`, answers), 201);
    const write = await clock.later(5 * 24 * 3_600_000, () =>
      teacher('teacher-4').put(`/ws/piyue/${id}`, { score: 8 }),
    );
    expectOk(write);
    const detail = await readAfter(write, (token) =>
      teacher('teacher-4').get(`/clazz/stats/teacher-detail?${NOVEMBER}`, token),
    );
    const none = { seconds: 0, markings: 0, average_seconds: null };
    expect(detail).toMatchObject({ totals: { markings: 0 }, marking_turnaround: none });
  });

  it('explain every figure of every answer by the records that it counts', async () => {
    const students = { from_student_id: 'ann', to_student_id: 'ben' };
    const grant = (student_id: string, more: object) =>
      supervisor().post('/clazz/hour/grant', { student_id, hours: '3', ...more });
    expectOk(await grant('ben', { price_minor: 9_000, currency: 'EUR' }), 201);
    expectOk(await grant('ben', { expires_at: clock.after(3_600_000) }), 201);
    expectOk(await grant('ann', { expires_at: clock.after(7_200_000) }), 201);
    expectOk(await supervisor().post('/clazz/hour/transfer', { ...students, hours: '2', reason: 'friends' }));
    expectOk(await supervisor().post('/clazz/hour/adjust', { student_id: 'ann', hours: -0.25, reason: 'a mistake' }));
    const quote = expectOk(await supervisor().post('/clazz/hour/refund-quote', { student_id: 'ben' }), 201);
    expectOk(await supervisor().post('/clazz/hour/refund', { quote_id: quote.quote_id }));
    clock.advance(5_400_000);
    // The expired hours are subtracted from ben's account. Ann's account still has them, because it is not read.
    expectOk(await supervisor().get('/clazz/hour/account/ben'));
    clock.advance(3_600_000);
    await waitUntilCaughtUp(fixture);
    for (const id of ['ann', 'ben']) {
      const answer = expectOk(await supervisor().get(`/clazz/stats/my-lessons?student_id=${id}&${NOVEMBER}`));
      await expectExplained(supervisor(), `&student_id=${id}`, answer);
      const [clazz = {}] = answer.clazzes;
      await expectExplained(supervisor(), `&student_id=${id}&clazz_id=${clazz_id}`, clazz);
    }
    for (const id of ['teacher-1', 'teacher-3']) {
      const answer = expectOk(await supervisor().get(`/clazz/stats/teacher-detail?teacher_id=${id}&${NOVEMBER}`));
      await expectExplained(supervisor(), `&teacher_id=${id}`, answer);
      const row = answer.clazzes.find((it) => it.clazz_id === clazz_id);
      await expectExplained(supervisor(), `&teacher_id=${id}&clazz_id=${clazz_id}`, row ?? {});
    }
    const clazz = expectOk(await supervisor().get(`/clazz/stats/clazz/${clazz_id}?${NOVEMBER}`));
    await expectExplained(supervisor(), `&clazz_id=${clazz_id}`, clazz);
    const org = expectOk(await supervisor().get(`/clazz/stats/org-overview?${NOVEMBER}`));
    await expectExplained(supervisor(), '', org);
    // `unmarked` has an explanation, but no answer contains it as a figure.
    expect(explainedFigures).toEqual(new Set(FIGURES.filter((figure) => figure !== 'unmarked')));
    const { expiring_30d: _expiring, ...sums } = org.hours;
    const { granted, adjusted, transferred_in, transferred_out, consumed, refunded, expired, remaining } = sums;
    const received = Number(granted) + Number(adjusted) + Number(transferred_in) - Number(transferred_out);
    expect((received - Number(consumed) - Number(refunded) - Number(expired)).toFixed(2)).toBe(remaining);
    expect(Object.values(sums)).not.toContain('0.00');
  });

  it('do not count the students of a deleted draft, nor a cancelled leave as a decision', async () => {
    const overview = async (write: Sent) =>
      readAfter(write, (token) => supervisor().get(`/clazz/stats/org-overview?${NOVEMBER}`, token));
    const { id } = expectOk(await supervisor().post('/clazz', { name: 'Draft', lead_teacher_id: 'teacher-1' }), 201);
    const enrol = await supervisor().post(`/clazz/${id}/student`, { student_ids: ['ann', 'nia'] });
    expectOk(enrol, 201);
    const before = await overview(enrol);
    const remove = await supervisor().delete(`/clazz/${id}`);
    expectOk(remove, 204);
    expect((await overview(remove)).students_active).toBe(before.students_active - 1);
    const missed = (await lesson(clazz_id, '2026-11-28T08:00:00Z')).body.id;
    const [leave] = expectOk(
      await student('ann').post('/clazz/leave', { lesson_id: missed, reason: 'ill' }),
      201,
    ).items;
    const cancel = await student('ann').post(`/clazz/leave/${leave?.id}/cancel`);
    expectOk(cancel);
    expect((await overview(cancel)).totals.leave_handled).toBe(before.totals.leave_handled);
  });

  it('contain zeros and null rates without data', async () => {
    for (const body of [
      await stranger().ok(statsCalls.getMyLessonStats),
      await stranger().ok(statsCalls.getTeacherStats),
      await stranger().ok(statsCalls.getOrganizationStats),
    ]) {
      expect(body.attendance).toEqual({
        numerator: 0,
        denominator: 0,
        rate: null,
        still_attainable_rate: null,
        still_attainable_numerator: 0,
        still_attainable_denominator: 0,
      });
      expect(body.series).toHaveLength(30);
      expect(body.included).toBe(true);
    }
    expect(expectOk(await teacher().get('/clazz/stats/my-lessons?student_id=nobody')).totals.scheduled).toBe(0);
  });

  it('use the real length of each local day', async () => {
    const query = 'from=2026-03-07&to=2026-03-09&zone=America/New_York';
    const { series } = expectOk(await student('ann').get(`/clazz/stats/my-lessons?${query}`));
    const hours = series.map((row) => (Date.parse(row.ends_at) - Date.parse(row.starts_at)) / 3_600_000);
    expect(hours).toEqual([24, 23, 24]);
  });

  it('count a lesson on its local day in the requested zone', async () => {
    const write = await lesson(clazz_id, '2026-11-21T23:30:00Z');
    const days = async (zone: string): Promise<string[]> =>
      (
        await readAfter(write, (token) => student('ben').get(`/clazz/stats/my-lessons?${NOVEMBER}&zone=${zone}`, token))
      ).series
        .filter((row) => row.scheduled > 0)
        .map((row) => row.start);
    expect(await days('UTC')).toContain('2026-11-21');
    expect(await days('Asia/Shanghai')).toContain('2026-11-22');
    expect(await days('Asia/Shanghai')).not.toContain('2026-11-21');
  });

  it('refuse callers without access and invalid requests', async () => {
    const status = async (api: Api, path: string, headers = {}): Promise<number> =>
      (await api.get(`/clazz/stats/${path}`, headers)).status;
    expect(await status(student('ann'), 'my-lessons?student_id=ben')).toBe(403);
    expect(await status(student('ann'), 'teacher-detail')).toBe(403);
    expect(await status(student('ann'), 'org-overview')).toBe(403);
    expect(await status(student('ann'), `clazz/${clazz_id}`)).toBe(403);
    expect(await status(teacher(), 'org-overview')).toBe(403);
    expect(await status(teacher(), 'teacher-detail?teacher_id=teacher-2')).toBe(403);
    expect(await status(teacher(), `clazz/${crypto.randomUUID()}`)).toBe(404);
    expect(await status(fixture.as({ role: 'TEACHER', org: crypto.randomUUID() }), `clazz/${clazz_id}`)).toBe(404);
    expect(await status(teacher(), 'my-lessons?from=2026-02-02&to=2026-02-01')).toBe(400);
    expect(await status(teacher(), 'my-lessons?zone=Mars/Base')).toBe(400);
    expect(await status(teacher(), 'my-lessons?unit=year')).toBe(400);
    expect(await status(teacher(), 'my-lessons', { 'x-consistency-token': 'forged' })).toBe(400);
  });
});
