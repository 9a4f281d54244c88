import { lessonCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { MONDAY, startSchool, createSchoolInNewOrg, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
const OVERRIDE = { override: true, reason: 'exam week' };
let fixture: Fixture;
let school: School;
let one: string;
let two: string;
beforeAll(async () => {
  ({ fixture } = await startSchool(clock));
  ({ school } = createSchoolInNewOrg(fixture, clock));
  one = await school.classOf([], { name: 'Algebra' });
  two = await school.classOf([], { name: 'Botany' });
});
afterAll(() => fixture?.stop());

type ClashQuery = Request<typeof lessonCalls.listLessonClashes>['query'];
const clashes = (query: ClashQuery = {}) => school.supervisor.ok(lessonCalls.listLessonClashes, { query });
/** A lesson of the first class in `hours` hours, and a clashing lesson of the second class with an override. */
const pair = async (hours: number, shared: { teacher_id?: string; room?: string }) => {
  const first = await school.lesson(one, hours, shared);
  const overriding = await school.lesson(two, hours + 0.5, { ...shared, ...OVERRIDE });
  return { first, overriding };
};

describe('lessons with an overridden clash', () => {
  it('are listed by start, each with the clashing lesson and the shared teacher or room', async () => {
    await school.lesson(two, 9, OVERRIDE);
    const byTeacher = await pair(10, { teacher_id: 'li' });
    const byRoom = await pair(5, { room: 'A' });
    const { items } = await clashes();
    expect(items).toMatchObject([
      {
        id: byRoom.overriding.id,
        clazz_name: 'Botany',
        conflicts: [{ lesson_id: byRoom.first.id, clazz_name: 'Algebra', teacher_id: null, room: 'A' }],
      },
      {
        id: byTeacher.overriding.id,
        conflicts: [{ lesson_id: byTeacher.first.id, teacher_id: 'li', room: null, student_ids: [] }],
      },
    ]);
    expect(items.map(({ conflicts }) => conflicts.length)).toEqual([1, 1]);
    const { starts_at, ends_at } = byTeacher.overriding;
    expect(singleElement((await clashes({ from: starts_at, to: ends_at })).items).id).toBe(byTeacher.overriding.id);
    expect((await clashes({ from: ends_at })).items).toEqual([]);
    const pages: string[][] = [];
    for await (const page of pagesOf((cursor) => clashes({ limit: '1', cursor }))) pages.push(page.map(({ id }) => id));
    expect(pages).toEqual([[byRoom.overriding.id], [byTeacher.overriding.id]]);
  });

  it('are no longer listed after either lesson is cancelled or changes its room', async () => {
    const from = school.inHours(20);
    const { first } = await pair(20, { room: 'B' });
    const { overriding } = await pair(25, { teacher_id: 'wu' });
    const moved = await pair(30, { room: 'C' });
    expect((await clashes({ from })).items).toHaveLength(3);
    expectOk(await school.supervisor.post(`/clazz/lesson/${first.id}/cancel`, { reason: 'a burst pipe' }));
    expectOk(await school.supervisor.post(`/clazz/lesson/${overriding.id}/cancel`, { reason: 'ill' }));
    expectOk(await school.supervisor.patch(`/clazz/lesson/${moved.first.id}`, { room: 'D' }));
    expect((await clashes({ from })).items).toEqual([]);
  });
});
