import { lessonCalls, statsCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { rebuildStatistics, readTables } from './rebuild-statistics.ts';

let fixture: Fixture;
const clazzes: string[] = [];
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'] });
  for (let n = 0; n < 8; n += 1) {
    const fields = { name: `Class ${n}`, lead_teacher_id: `teacher-${n}` };
    const { id } = expectOk(await supervisor().post('/clazz', fields), 201);
    expectOk(await supervisor().post(`/clazz/${id}/activate`));
    const since = '2026-01-01T00:00:00Z';
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids: [`student-${n}`], since }), 201);
    clazzes.push(id);
  }
});
afterAll(() => fixture?.stop());

const { supervisor, stranger } = peopleOf(() => fixture);
const RANGE = { from: '2020-01-01', to: '2029-12-31', unit: 'month' } as const;
let lessonCount = 0;

/** A lesson of class `n` that no other lesson clashes with. */
const addLesson = (n: number) => {
  const starts = Date.parse('2026-11-01T00:00:00Z') + (lessonCount += 1) * 3_600_000;
  const body = {
    starts_at: new Date(starts).toISOString(),
    ends_at: new Date(starts + 3_600_000).toISOString(),
    teacher_id: `teacher-${n}`,
  };
  return supervisor().answer(lessonCalls.createLesson, { path: { id: clazzes[n] ?? '' }, body });
};

describe('With concurrent writes', () => {
  it('a read with the token of a write includes it', async () => {
    const writeAndRead = async (n: number): Promise<void> => {
      for (let lessons = 1; lessons <= 12; lessons += 1) {
        const write = await addLesson(n);
        const headers = { 'x-consistency-token': write.headers.get('x-consistency-token') ?? '' };
        const query = { ...RANGE, teacher_id: `teacher-${n}` };
        const detail = await supervisor().ok(statsCalls.getTeacherStats, { query }, headers);
        expect([detail.included, detail.totals.scheduled]).toEqual([true, lessons]);
      }
    };
    await Promise.all(clazzes.map((_, n) => writeAndRead(n)));
  });

  it('a read reports when the write is not included in time', async () => {
    const other = stranger();
    await fixture.sql('revoke update on stats.follower_position from stats_worker');
    const write = await addLesson(0);
    const token = write.headers.get('x-consistency-token') ?? '';
    const overview = async () =>
      (await supervisor().get('/clazz/stats/org-overview', { 'x-consistency-token': token })).body;
    expect((await overview()).included).toBe(false);
    await fixture.sql('grant update on stats.follower_position to stats_worker');
    await expect.poll(async () => (await overview()).included).toBe(true);
    expect((await other.get('/clazz/stats/org-overview', { 'x-consistency-token': token })).status).toBe(400);
  });

  it('a rebuild completes during writes and gives the same figures', async () => {
    const generation = async (): Promise<number | undefined> =>
      (await fixture.sql<{ gen: number }>("select gen from stats.generation where state = 'current'"))[0]?.gen;
    const old = await generation();
    const writing = { on: true };
    const writers = clazzes.map(async (_, n) => {
      while (writing.on) await addLesson(n);
    });
    const gen = await rebuildStatistics(fixture).finally(() => {
      writing.on = false;
    });
    await Promise.all(writers);
    expect(await generation()).toBe(gen);
    expect(gen).not.toBe(old);
    await waitUntilCaughtUp(fixture);
    const rebuilt = await readTables(fixture, fixture.org);
    const [count] = await fixture.sql<{ n: number }>('select count(*)::int as n from clazz.lesson where org_id = $1', [
      fixture.org,
    ]);
    expect(rebuilt['lesson']).toHaveLength(count?.n ?? 0);
    await rebuildStatistics(fixture);
    expect(await readTables(fixture, fixture.org)).toEqual(rebuilt);
  });

  it('two parallel rebuild requests start one rebuild', async () => {
    const [a, b] = await Promise.all([rebuildStatistics(fixture), rebuildStatistics(fixture)]);
    expect(a).toBe(b);
  });
});
