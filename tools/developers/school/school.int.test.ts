import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../libs/client/src/index.ts';
import { DAY_MS } from '../../../libs/kit/src/base/time.ts';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { CLAZZES } from './clazzes.ts';
import { makeSchool } from './make-school.ts';
import { allOf, HEAD, createSchoolContext } from './school-context.ts';

/** Small, and all that may happen happens in it. */
const KEYS = ['hsk-2', 'english-work', 'children-chinese', 'spanish-b1'];
const clazzes = CLAZZES.filter(({ key }) => KEYS.includes(key));

let fixture: Fixture;
/** The number of future lessons in a week depends on the day. */
const TUESDAY = '2026-03-03T10:00:00Z';
let now = new Date(TUESDAY);
beforeAll(async () => {
  fixture = await startFixture({ clock: () => now });
});
afterAll(() => fixture?.stop());

const notes: string[] = [];
const make = () =>
  makeSchool(
    createSchoolContext({
      wish: { clazzes, length: { weeks_back: 4, weeks_ahead: 2 }, now },
      address: fixture.address,
      tokenFor: (sub, role) => fixture.token({ sub, role }),
      onStep: () => undefined,
      note: (line) => notes.push(line),
    }),
  );

/** The number of events that are not reads. */
const events = async (): Promise<number> => {
  const counts = await Promise.all(
    ['clazz', 'course', 'package'].map((schema) =>
      fixture.sql<{ count: number }>(`select count(*)::int as count from ${schema}.log_entry where log = 'domain'`),
    ),
  );
  return counts.flat().reduce((sum, { count }) => sum + count, 0);
};

const office = () =>
  createClient({ base_url: fixture.address, token: fixture.token({ sub: HEAD, role: 'SUPERVISOR' }) });
const lessonsBefore = (to: Date, roll_call: string) =>
  allOf((cursor) => office().listLessons({ query: { to: to.toISOString(), roll_call, limit: '100', cursor } }));

describe('The demo school', () => {
  it('is created once: a second run changes nothing', { timeout: 240_000 }, async () => {
    expect(await make()).toMatchObject({ clazzes: KEYS.length, students: 31 });
    const told = await events();
    expect(told).toBeGreaterThan(300);
    await make();
    expect(await events()).toBe(told);
    expect(notes).toEqual([]);
  });

  it('has the data that its pages show', async () => {
    const client = office();
    const lessons = await allOf((cursor) => client.listLessons({ query: { limit: '100', cursor } }));
    expect(new Set(lessons.map(({ status }) => status))).toEqual(new Set(['scheduled', 'held', 'cancelled']));
    const leaves = await allOf((cursor) => client.listLeaves({ query: { limit: '100', cursor } }));
    expect(new Set(leaves.map(({ status }) => status))).toContain('approved');
    const enrolled = await Promise.all(
      (await allOf((cursor) => client.listClazzes({ query: { cursor } }))).map(({ id }) =>
        allOf((cursor) => client.listEnrolments({ path: { id }, query: { limit: '100', cursor } })),
      ),
    );
    expect(new Set(enrolled.flat().map(({ status }) => status))).toEqual(
      new Set(['active', 'waiting', 'suspended', 'withdrawn']),
    );
    const entries = await allOf((cursor) => client.listHourEntries({ query: { limit: '100', cursor } }));
    const kinds = new Set(entries.map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['grant', 'consume', 'refund']));
    const { data } = await client.getPolicy({});
    expect([data.version, data.roll_call.edit_window_days]).toEqual([3, 7]);
  });

  it('continues some weeks later, with the events since and a longer term', { timeout: 240_000 }, async () => {
    const start = now;
    now = new Date(start.getTime() + 10 * DAY_MS);
    expect((await lessonsBefore(now, 'missing')).length).toBeGreaterThan(20);
    await make();
    // Of the first run only those of the last days were left open; they are entered now.
    expect(await lessonsBefore(new Date(start.getTime() - DAY_MS), 'missing,incomplete')).toEqual([]);
    const [last] = (await office().listLessons({ query: { sort: '-starts_at', limit: '1' } })).data.items;
    expect(Date.parse(last?.starts_at ?? '')).toBeGreaterThan(now.getTime() + 40 * DAY_MS);
    const told = await events();
    await make();
    expect(await events()).toBe(told);
  });

  it('keeps changes of others in its organization', { timeout: 120_000 }, async () => {
    const client = office();
    const body = { name: 'Our own class', lead_teacher_id: 'somebody', activate: true, student_ids: ['an-lin'] };
    const { id } = (await client.createClazz({ body })).data;
    const lesson = {
      starts_at: new Date(now.getTime() - 3 * DAY_MS),
      ends_at: new Date(now.getTime() - 3 * DAY_MS + 60_000),
    };
    const times = { starts_at: lesson.starts_at.toISOString(), ends_at: lesson.ends_at.toISOString() };
    await client.createLesson({ path: { id }, body: times });
    const { items } = (await client.listClazzes({ query: { keyword: 'HSK 2' } })).data;
    await client.updateClazz({ path: { id: items[0]?.id ?? '' }, body: { name: 'Chinese, renamed' } });
    const told = await events();
    await make();
    expect(await events()).toBe(told);
  });
});
