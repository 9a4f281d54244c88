import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { IS_PROOF } from '../../../tools/proofs/test/proof-size.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { rebuildStatistics, readTables } from './rebuild-statistics.ts';

const ROUNDS = IS_PROOF ? 25 : 4;
const BEGIN = Date.parse('2026-01-05T08:00:00Z');

let fixture: Fixture;
const clazzes: { id: string; student: string; teacher: string }[] = [];
const boss = () => fixture.as({ role: 'SUPERVISOR' });
let lessonCount = 0;

beforeAll(async () => {
  fixture = await startFixture();
  for (let n = 0; n < 6; n += 1) {
    const [student, teacher] = [`student-${n}`, `teacher-${n}`];
    const { id } = expectOk(await boss().post('/clazz', { name: `Class ${n}`, lead_teacher_id: teacher }), 201);
    expectOk(await boss().post(`/clazz/${id}/activate`));
    const since = '2026-01-01T00:00:00Z';
    expectOk(await boss().post(`/clazz/${id}/student`, { student_ids: [student], since }), 201);
    clazzes.push({ id, student, teacher });
  }
});
afterAll(() => fixture?.stop());

/** Writes to each source: a lesson with its roll call, sometimes a grant of hours or a new name. */
const writeToSources = async ({ id, student, teacher }: (typeof clazzes)[number]): Promise<void> => {
  const at = BEGIN + (lessonCount += 1) * HOUR_MS;
  const lesson = await boss().post(`/clazz/${id}/lesson`, {
    starts_at: new Date(at).toISOString(),
    ends_at: new Date(at + HOUR_MS).toISOString(),
    teacher_id: teacher,
  });
  const marks = [{ student_id: student, mark: lessonCount % 3 === 0 ? 'absent' : 'present' }];
  expectOk(await boss().put(`/clazz/lesson/${expectOk(lesson, 201).id}/roll-call`, { marks, reason: 'entered later' }));
  if (lessonCount % 4 === 0) expectOk(await boss().post('/clazz/hour/grant', { student_id: student, hours: '5' }), 201);
  const members = [{ user_id: student, role: 'STUDENT', display_name: `Name ${lessonCount}` }];
  if (lessonCount % 5 === 0) expectOk(await boss().put('/ws/member/bulk', { members }));
};

it(`a rebuild during writes to all sources equals a rebuild without writes, ${ROUNDS} times`, async () => {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const traffic = { on: true };
    const writers = clazzes.map(async (clazz) => {
      while (traffic.on) await writeToSources(clazz);
    });
    await rebuildStatistics(fixture).finally(() => {
      traffic.on = false;
    });
    await Promise.all(writers);
    await waitUntilCaughtUp(fixture);
    const live = await readTables(fixture, fixture.org);
    await rebuildStatistics(fixture);
    expect(await readTables(fixture, fixture.org), `round ${round}`).toEqual(live);
  }
  const [held] = await fixture.sql<{ n: number }>("select count(*)::int as n from clazz.lesson where status = 'held'");
  const { body } = await boss().get('/clazz/stats/org-overview?from=2026-01-01&to=2027-12-31&unit=month');
  expect(body.totals.held).toBe(held?.n);
});
