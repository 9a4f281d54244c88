import { clazzCalls, statsCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { playHistory, Step, STUDENTS, TEACHERS } from './play-history.ts';
import { rebuildStatistics } from './rebuild-statistics.ts';

/** Steps of a history. After each step all answers are read twice. */
const STEPS = 30;
const DAY_MS = 24 * HOUR_MS;
const RANGE = { from: '2026-10-01', to: '2027-01-31', unit: 'week' as const };

let fixture: Fixture;
let org: string;
const clock = clockAt('2026-11-20T12:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], clock: clock.now });
});
beforeEach(() => {
  org = crypto.randomUUID();
});
afterAll(() => fixture?.stop());

const boss = (of = org) => fixture.as({ role: 'SUPERVISOR', org: of });
const detailOf = (teacher_id: string, range = RANGE, of = org) =>
  boss(of).ok(statsCalls.getTeacherStats, { query: { ...range, teacher_id } });
/** An answer is cached only from its second request. */
const cachedDetailOf = async (teacher_id: string) => {
  await detailOf(teacher_id);
  return detailOf(teacher_id);
};
const lessonsOf = (student_id: string) => boss().ok(statsCalls.getMyLessonStats, { query: { ...RANGE, student_id } });

/** All cacheable answers about all people and classes. */
const answers = async (): Promise<unknown> => {
  const { items } = await boss().ok(clazzCalls.listClazzes, { query: { limit: '100' } });
  const clazzes = items.map(({ id }) => boss().ok(statsCalls.getClazzStats, { path: { id }, query: RANGE }));
  return Promise.all([
    ...STUDENTS.map(lessonsOf),
    ...[...TEACHERS, 'supervisor-1'].map((id) => detailOf(id)),
    ...clazzes,
  ]);
};

/** Invalidates all cached answers of the organization. */
const invalidate = () => fixture.sql('update stats.org_change set id = gen_random_uuid() where org_id = $1', [org]);

/** Expects that cached answers equal newly computed ones. */
const expectCurrent = async (): Promise<void> => {
  await waitUntilCaughtUp(fixture);
  const answered = await answers();
  await invalidate();
  expect(answered).toEqual(await answers());
};

/**
 * Creates a class with these students and a lesson of one hour on each of three days. The first begins in two hours.
 */
const clazzOf = async (lead_teacher_id: string, student_ids: string[]): Promise<string> => {
  const { id } = expectOk(await boss().post('/clazz', { name: 'Algebra', lead_teacher_id }), 201);
  expectOk(await boss().post(`/clazz/${id}/activate`));
  expectOk(await boss().post(`/clazz/${id}/student`, { student_ids, since: '2026-10-01T00:00:00Z' }), 201);
  for (const day of [0, 1, 2]) {
    const starts = day * DAY_MS + 2 * HOUR_MS;
    const times = { starts_at: clock.after(starts), ends_at: clock.after(starts + HOUR_MS) };
    expectOk(await boss().post(`/clazz/${id}/lesson`, times), 201);
  }
  return id;
};

/**
 * Runs `request` while a table is locked against reads. When the request `late` waits for the lock, runs the SQL
 * `meanwhile` and commits it, which ends the lock. Returns the answer to `late`.
 */
const whileLocked = async <T>(
  table: string,
  request: () => Promise<{ late: Promise<T>; meanwhile: string }>,
): Promise<T> => {
  const writer = new pg.Client({ connectionString: fixture.adminUrl });
  await writer.connect();
  try {
    await writer.query(`begin; lock table stats.${table} in access exclusive mode`);
    const { late, meanwhile } = await request();
    const waits = `select from pg_locks where not granted and relation = 'stats.${table}'::regclass`;
    await expect.poll(() => fixture.sql(waits), { interval: 10 }).not.toEqual([]);
    await writer.query(`${meanwhile}; commit`);
    return await late;
  } finally {
    await writer.end();
  }
};

it('a cached answer equals a newly computed one after each step of a random history', { timeout: 180_000 }, () =>
  fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: STEPS, maxLength: STEPS }), async (history) => {
      org = crypto.randomUUID();
      await playHistory(fixture, clock, org, history, expectCurrent);
    }),
    { numRuns: 1, endOnFailure: true },
  ),
);

it('does not compute a cached answer again while nothing changes, except for another range', async () => {
  await clazzOf('teacher-1', ['ann']);
  await waitUntilCaughtUp(fixture);
  const before = await cachedDetailOf('teacher-1');
  const other = await whileLocked('clazz_figure', async () => {
    expect(await detailOf('teacher-1')).toEqual(before);
    return { late: detailOf('teacher-1', { ...RANGE, to: '2027-02-28' }), meanwhile: '' };
  });
  expect(other.totals).toEqual(before.totals);
});

it('caches different answers for callers who may see the hours and callers who may not', async () => {
  const id = await clazzOf('teacher-1', ['ann']);
  await waitUntilCaughtUp(fixture);
  const as = (sub: string) => fixture.as({ role: sub === 'boss' ? 'SUPERVISOR' : 'TEACHER', sub, org });
  const hoursSeenBy = async (sub: string) => {
    const lessons = await as(sub).ok(statsCalls.getMyLessonStats, { query: { ...RANGE, student_id: 'ann' } });
    const clazz = await as(sub).ok(statsCalls.getClazzStats, { path: { id }, query: RANGE });
    const [student] = clazz.students;
    expect([lessons.totals.scheduled, student?.scheduled]).toEqual([3, 3]);
    return [
      lessons.hours.remaining,
      lessons.totals.hours_consumed,
      student?.hours_consumed,
      clazz.totals.hours_consumed,
    ];
  };
  const [visible, hidden] = [Array(4).fill('0.00'), Array(4).fill(null)];
  for (const sub of ['boss', 'teacher-2', 'teacher-1', 'teacher-2', 'boss']) {
    expect([sub, await hoursSeenBy(sub)]).toEqual([sub, sub === 'teacher-2' ? hidden : visible]);
  }
  expectOk(await boss().put(`/clazz/${id}/assistants`, { teacher_ids: ['teacher-2'] }));
  expect(await hoursSeenBy('teacher-2')).toEqual(visible);
  expectOk(await boss().put(`/clazz/${id}/assistants`, { teacher_ids: [] }));
  expect(await hoursSeenBy('teacher-2')).toEqual(hidden);
});

it('caches separate answers for organizations with the same user ids', async () => {
  await clazzOf('teacher-1', ['ann']);
  await waitUntilCaughtUp(fixture);
  expect((await detailOf('teacher-1')).totals.scheduled).toBe(3);
  const first = org;
  org = crypto.randomUUID();
  await clazzOf('teacher-1', ['ann', 'ben']);
  await waitUntilCaughtUp(fixture);
  expect((await detailOf('teacher-1')).totals).toMatchObject({ scheduled: 3, students: 2 });
  expect((await detailOf('teacher-1', RANGE, first)).totals).toMatchObject({ scheduled: 3, students: 1 });
  expect((await detailOf('teacher-1', RANGE, crypto.randomUUID())).totals.scheduled).toBe(0);
});

it('updates the cached answer of a student when a lesson begins and when hours expire or soon will', async () => {
  await clazzOf('teacher-1', ['ann']);
  for (const days of [1, 31, 33]) {
    const expires_at = clock.after(days * DAY_MS + HOUR_MS);
    expectOk(await boss().post('/clazz/hour/grant', { student_id: 'ann', hours: '2', expires_at }), 201);
  }
  await waitUntilCaughtUp(fixture);
  const readHours = async () => {
    const { upcoming, hours } = await lessonsOf('ann');
    return [upcoming.length, hours.remaining, hours.expiring_30d];
  };
  expect(await readHours()).toEqual([3, '6.00', '2.00']);
  clock.advance(2 * HOUR_MS - 1);
  expect(await readHours()).toEqual([3, '6.00', '2.00']);
  clock.advance(1);
  expect(await readHours()).toEqual([2, '6.00', '2.00']);
  clock.advance(DAY_MS - HOUR_MS - 1);
  expect(await readHours()).toEqual([2, '6.00', '2.00']);
  clock.advance(1);
  // One lot has expired. Another one expires within 30 days.
  expect(await readHours()).toEqual([2, '4.00', '2.00']);
  clock.advance(3 * DAY_MS);
  expect(await readHours()).toEqual([0, '4.00', '4.00']);
  // The clock of another instance can be behind.
  expect(await clock.later(-3 * DAY_MS, readHours)).toEqual([2, '4.00', '2.00']);
});

it('computes an answer again after a rebuild', async () => {
  await clazzOf('teacher-1', ['ann']);
  await waitUntilCaughtUp(fixture);
  const before = await cachedDetailOf('teacher-1');
  await fixture.sql("update stats.clazz_figure set scheduled = 7 where org_id = $1 and teacher_id = 'teacher-1'", [
    org,
  ]);
  expect(await detailOf('teacher-1')).toEqual(before);
  await invalidate();
  expect((await detailOf('teacher-1')).totals.scheduled).toBe(21);
  await rebuildStatistics(fixture);
  expect(await detailOf('teacher-1')).toEqual(before);
});
