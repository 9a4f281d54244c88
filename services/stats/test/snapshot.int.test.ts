import { statsCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { STATISTICS_TABLES } from './rebuild-statistics.ts';

const OTHER_ORG = crypto.randomUUID();

let fixture: Fixture;
let writer: pg.Client;
let clazz_id: string;
const { supervisor } = peopleOf(() => fixture);

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'] });
  writer = new pg.Client({ connectionString: fixture.adminUrl });
  await writer.connect();
  clazz_id = expectOk(await supervisor().post('/clazz', { name: 'Algebra', lead_teacher_id: 'teacher-1' }), 201).id;
  expectOk(await supervisor().post(`/clazz/${clazz_id}/activate`));
  const people = { student_ids: ['ann'], since: '2026-01-01T00:00:00Z' };
  expectOk(await supervisor().post(`/clazz/${clazz_id}/student`, people), 201);
  expectOk(await supervisor().post('/clazz/hour/grant', { student_id: 'ann', hours: '10' }), 201);
  const times = { starts_at: '2026-02-02T10:00:00Z', ends_at: '2026-02-02T11:00:00Z' };
  const { id } = expectOk(await supervisor().post(`/clazz/${clazz_id}/lesson`, times), 201);
  const marks = [{ student_id: 'ann', mark: 'present' }];
  expectOk(await supervisor().put(`/clazz/lesson/${id}/roll-call`, { marks, reason: 'entered later' }));
  await waitUntilCaughtUp(fixture);
});
afterAll(async () => {
  await writer?.end();
  await fixture?.stop();
});

const LOCKED = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
/** Invalidates all cached answers, so that the next request reads the tables. */
const invalidate = () => writer.query('update stats.org_change set id = gen_random_uuid()');
/** Moves all statistics of one organization to another. */
const moveRows = async (from: string, to: string): Promise<void> => {
  await invalidate();
  for (const table of STATISTICS_TABLES)
    await writer.query(`update stats.${table} set org_id = $2 where org_id = $1`, [from, to]);
};
const inTransaction = async (work: () => Promise<void>): Promise<void> => {
  await writer.query('begin');
  await work();
  await writer.query('commit');
};

const RANGED = { from: '2026-01-01', to: '2026-12-31', unit: 'month' } as const;
const ANSWERS = {
  'my-lessons': () => supervisor().ok(statsCalls.getMyLessonStats, { query: { ...RANGED, student_id: 'ann' } }),
  'teacher-detail': () =>
    supervisor().ok(statsCalls.getTeacherStats, { query: { ...RANGED, teacher_id: 'teacher-1' } }),
  clazz: () => supervisor().ok(statsCalls.getClazzStats, { path: { id: clazz_id }, query: RANGED }),
  'org-overview': () => supervisor().ok(statsCalls.getOrganizationStats, { query: RANGED }),
  explain: () => supervisor().ok(statsCalls.explainFigure, { query: { figure: 'remaining' } }),
} satisfies Record<string, () => Promise<unknown>>;

/** For each answer, a table that one of its later statements reads. */
it.each([
  ['my-lessons', 'account'],
  ['teacher-detail', 'marking'],
  ['clazz', 'mark'],
  ['org-overview', 'org_account'],
  ['explain', 'lot'],
] as const)('%s reads one snapshot while all rows change', async (name, late) => {
  const read: () => Promise<unknown> = ANSWERS[name];
  const before = await read();
  await invalidate();
  let answer: Promise<unknown> | undefined;
  await inTransaction(async () => {
    await writer.query(`lock table stats.${late} in access exclusive mode`);
    answer = read();
    await expect.poll(() => fixture.sql(LOCKED), { interval: 10 }).not.toEqual([]);
    await moveRows(fixture.org, OTHER_ORG);
  });
  expect(await answer).toEqual(before);
  await inTransaction(() => moveRows(OTHER_ORG, fixture.org));
  expect(await read()).toEqual(before);
});
