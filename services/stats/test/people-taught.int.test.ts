import { statsCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { expectPeopleCounts } from './people-counts.ts';

let fixture: Fixture;
const clock = clockAt('2026-11-20T12:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], clock: clock.now });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher } = peopleOf(() => fixture);

const enrol = async (clazz_id: string, student_ids: string[], since: string): Promise<void> => {
  expectOk(await supervisor().post(`/clazz/${clazz_id}/student`, { student_ids, since }), 201);
};
const clazzOf = async (name: string, student_ids: string[], lead_teacher_id = 'teacher-1'): Promise<string> => {
  const { id } = expectOk(await supervisor().post('/clazz', { name, lead_teacher_id }), 201);
  expectOk(await supervisor().post(`/clazz/${id}/activate`));
  await enrol(id, student_ids, '2026-01-01T00:00:00Z');
  return id;
};
const lesson = async (clazz_id: string, starts_at: string, fields = {}): Promise<string> => {
  const ends_at = new Date(Date.parse(starts_at) + HOUR_MS).toISOString();
  return expectOk(await supervisor().post(`/clazz/${clazz_id}/lesson`, { starts_at, ends_at, ...fields }), 201).id;
};
/** Approves leave of a student from a future lesson, books a make-up lesson, and records its roll call. */
const makeUp = async (student_id: string, missed: string, lesson_id: string): Promise<void> => {
  const request = await supervisor().post('/clazz/leave', { student_id, lesson_id: missed, reason: 'ill' });
  const [leave] = expectOk(request, 201).items;
  expectOk(await supervisor().post(`/clazz/leave/${leave?.id}/approve`));
  expectOk(await supervisor().post(`/clazz/leave/${leave?.id}/make-up`, { lesson_id }));
  await clock.later(36 * HOUR_MS, async () => {
    const marks = [{ student_id, mark: 'makeup' }];
    expectOk(await supervisor().put(`/clazz/lesson/${lesson_id}/roll-call`, { marks }));
  });
};
const detail = (from: string, to: string, zone = 'UTC') =>
  supervisor().ok(statsCalls.getTeacherStats, { query: { teacher_id: 'teacher-1', from, to, zone } });
const perDay = async (from: string, to: string, zone?: string): Promise<number[]> =>
  (await detail(from, to, zone)).series.map(({ students }) => students);

it('counts the people that a teacher taught: once over several classes, late joiners, leavers and guests', async () => {
  const algebra = await clazzOf('Algebra', ['ann', 'ben']);
  const botany = await clazzOf('Botany', ['ann', 'cho']);
  await enrol(algebra, ['dan'], '2026-11-18T00:00:00Z');
  await lesson(algebra, '2026-11-16T10:00:00Z');
  await lesson(algebra, '2026-11-17T10:00:00Z');
  await lesson(algebra, '2026-11-18T10:00:00Z');
  await lesson(algebra, '2026-11-19T10:00:00Z', { teacher_id: 'teacher-2' });
  const visited = await lesson(algebra, '2026-11-21T10:00:00Z');
  await lesson(algebra, '2026-11-24T10:00:00Z');
  await lesson(botany, '2026-11-17T23:30:00Z');
  await lesson(botany, '2026-11-24T12:00:00Z');
  const chess = await clazzOf('Chess', ['eve'], 'teacher-3');
  await makeUp('eve', await lesson(chess, '2026-11-21T15:00:00Z'), visited);
  expectOk(await supervisor().post(`/clazz/${algebra}/student/ben/withdraw`));
  expectOk(await supervisor().post(`/clazz/${botany}/student/cho/transfer`, { to_clazz_id: algebra }));
  await waitUntilCaughtUp(fixture);
  // The 17th: ann in both classes, ben, cho. The 21st: ann, cho, dan, eve. The 24th: ann in both classes, cho, dan.
  expect(await perDay('2026-11-16', '2026-11-19')).toEqual([2, 3, 3, 0]);
  expect(await perDay('2026-11-17', '2026-11-18', 'Asia/Shanghai')).toEqual([2, 4]);
  expect(await perDay('2026-11-21', '2026-11-24')).toEqual([4, 0, 0, 3]);
  const all = await detail('2026-11-01', '2026-11-30');
  expect(all.totals.students).toBe(5);
  expect(all.clazzes.map(({ name, students }) => [name, students])).toEqual([
    ['Algebra', 5],
    ['Botany', 2],
  ]);
  await expectPeopleCounts(fixture, fixture.org, clock);
});

it('shows the teacher of a class the hours of its members and their sum, but not those of a guest', async () => {
  const drama = await clazzOf('Drama', ['fay'], 'teacher-4');
  const chemistry = await clazzOf('Chemistry', ['gus'], 'teacher-5');
  const visited = await lesson(drama, '2026-11-21T10:00:00Z');
  await makeUp('gus', await lesson(chemistry, '2026-11-21T15:00:00Z'), visited);
  await clock.later(36 * HOUR_MS, async () => {
    expectOk(
      await supervisor().put(`/clazz/lesson/${visited}/roll-call`, { marks: [{ student_id: 'fay', mark: 'present' }] }),
    );
  });
  await waitUntilCaughtUp(fixture);
  const path = { id: drama };
  const query = { from: '2026-11-01', to: '2026-11-30', unit: 'month' } as const;
  const hoursSeenBy = async (sub: string) => {
    const { totals, series, students } = await teacher(sub).ok(statsCalls.getClazzStats, { path, query });
    const each = students.map(({ student_id, hours_consumed }) => [student_id, hours_consumed]);
    return { all: totals.hours_consumed, series: series[0]?.hours_consumed, ...Object.fromEntries(each) };
  };
  expect(await hoursSeenBy('teacher-4')).toEqual({ all: '2.00', series: '2.00', fay: '1.00', gus: null });
  expect(await hoursSeenBy('teacher-5')).toEqual({ all: null, series: null, fay: null, gus: '1.00' });
  const explained = { ...query, unit: undefined, figure: 'hours_consumed', clazz_id: drama } as const;
  const { items } = await teacher('teacher-4').ok(statsCalls.explainFigure, { query: explained });
  expect(items.map(({ counts }) => counts)).toEqual(['1.00', '1.00']);
  expect((await teacher('teacher-5').refused(statsCalls.explainFigure, { query: explained })).code).toBe('forbidden');
  // All staff can read figures that are not hours.
  const present = { ...explained, figure: 'present' } as const;
  expect((await teacher('teacher-5').ok(statsCalls.explainFigure, { query: present })).items).toHaveLength(1);
});
