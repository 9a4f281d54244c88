import { type Lesson, lessonCalls, substitutionCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, stranger } = peopleOf(() => fixture);
let made = 0;
/** A day that no other test uses, as a function from hours after its start to the instant. */
const nextDay = () => {
  made += 1;
  const start = Date.parse('2034-01-01T00:00:00Z') + made * 24 * HOUR_MS;
  return (hours: number): string => new Date(start + hours * HOUR_MS).toISOString();
};
const clazzOf = async (lead_teacher_id: string, more: Record<string, unknown> = {}) =>
  (await newClazz(supervisor(), { lead_teacher_id, ...more })).id;
const lesson = async (clazz_id: string, starts_at: string, teacher_id: string): Promise<Lesson> =>
  expectOk(await postLesson(supervisor(), clazz_id, starts_at, { teacher_id }), 201);
const lessonOf = (lesson_id: string): Promise<Lesson> =>
  supervisor().ok(lessonCalls.getLesson, { path: { lesson_id } });
const substitute = (body: Record<string, unknown>) => supervisor().post('/clazz/substitution', body);
const newCourse = async (): Promise<string> =>
  expectOk(await supervisor().post('/ws/course', { title: 'Rhetoric', status: 'active' }), 201).id;

/** Classes on a new day: Zoe and Bea teach the course, Abe does not, and Cid needs a substitute. */
const createSchool = async () => {
  const at = nextDay();
  const n = made;
  const name = (short: string): string => `${short}-${n}`;
  const course_id = await newCourse();
  const [ill, sameZoe, sameBea, other] = [
    await clazzOf(name('cid'), { course_id, name: 'Rhetoric' }),
    await clazzOf(name('zoe'), { course_id }),
    await clazzOf(name('bea'), { course_id }),
    await clazzOf(name('abe')),
  ];
  return { at, name, ill, sameZoe, sameBea, other };
};

describe('substitutes', () => {
  it('are offered if they are free at that time, teachers of the course first', async () => {
    const { at, name, ill, sameBea, other } = await createSchool();
    const it = await lesson(ill, at(10), name('cid'));
    const options = async (limit = '100') => {
      const read = (cursor: string | undefined) =>
        supervisor().ok(substitutionCalls.listSubstituteOptions, {
          path: { lesson_id: it.id },
          query: { limit, ...(cursor === undefined ? {} : { cursor }) },
        });
      const rows = [];
      for await (const page of pagesOf(read)) rows.push(...page);
      return rows.filter(({ teacher_id }) => teacher_id.endsWith(name('')));
    };
    const [bea, zoe, abe, dee] = [
      { teacher_id: name('bea'), teacher_name: null, same_course: true },
      { teacher_id: name('zoe'), teacher_name: null, same_course: true },
      { teacher_id: name('abe'), teacher_name: null, same_course: false },
      // Dee has no class, but is in the directory.
      { teacher_id: name('dee'), teacher_name: 'Dee', same_course: false },
    ];
    const member = (short: string, display_name: string, role = 'TEACHER') => ({
      user_id: name(short),
      role,
      display_name,
    });
    const members = [member('dee', 'Dee'), member('fay', 'Fay'), member('sue', 'Sue', 'STUDENT')];
    expectOk(await supervisor().put('/ws/member/bulk', { members }));
    await fixture.sql("update clazz.member set status = 'inactive' where user_id = $1", [name('fay')]);
    expect(await options()).toEqual([bea, zoe, abe, dee]);
    expect(await options('1')).toEqual([bea, zoe, abe, dee]);
    const busy = await lesson(sameBea, at(10.5), name('bea'));
    await lesson(other, at(11), name('abe'));
    await lesson(other, at(9), name('abe'));
    expect(await options()).toEqual([zoe, abe, dee]);
    expectOk(await supervisor().post(`/clazz/lesson/${busy.id}/cancel`));
    expect(await options()).toEqual([bea, zoe, abe, dee]);
    expectRefusal(await stranger().get(`/clazz/lesson/${it.id}/substitute/options`), 404, 'not_found');
  });

  it('take over all lessons of the range or none', async () => {
    const { at, name, ill, sameZoe, other } = await createSchool();
    const mine = [await lesson(ill, at(8), name('cid')), await lesson(other, at(10), name('cid'))];
    const outside = await lesson(ill, at(12), name('cid'));
    const theirs = await lesson(sameZoe, at(10.5), name('zoe'));
    const range = { teacher_id: name('cid'), from: at(8.5), to: at(12) };
    const refusal = expectRefusal(await substitute({ ...range, with: name('zoe') }), 409, 'schedule_conflict');
    expect(refusal.conflicts).toMatchObject([{ lesson_id: theirs.id, teacher_id: name('zoe') }]);
    expect((await lessonOf(mine[0]?.id ?? '')).teacher_id).toBe(name('cid'));
    const preview = expectOk(await substitute({ ...range, with: name('bea'), preview: true }));
    expect(preview).toMatchObject({
      items: [
        { id: mine[0]?.id, teacher_id: name('bea'), clazz_name: 'Rhetoric' },
        { id: mine[1]?.id, teacher_id: name('bea') },
      ],
      unassigned: [],
    });
    expect(await lessonOf(mine[0]?.id ?? '')).toMatchObject({ teacher_id: name('cid'), version: 1 });
    expect(expectOk(await substitute({ ...range, with: name('bea') }))).toEqual({
      ...preview,
      items: preview.items?.map((row) => ({ ...row, updated_at: expect.any(String) })),
    });
    expect(await lessonOf(mine[1]?.id ?? '')).toMatchObject({ teacher_id: name('bea'), version: 2 });
    expect((await lessonOf(outside.id)).teacher_id).toBe(name('cid'));
    expect(expectOk(await substitute({ ...range, with: name('bea') }))).toEqual({ items: [], unassigned: [] });
    const [entry] = await lessonAuditEntries(ill);
    expect(entry).toMatchObject({ changes: { teacher_id: { before: name('cid'), after: name('bea') } } });
  });

  it('are chosen per lesson if the request names none, and lessons without a free teacher are listed', async () => {
    const { at, name, ill, sameZoe, sameBea } = await createSchool();
    const first = await lesson(ill, at(8), name('cid'));
    const second = await lesson(ill, at(9), name('cid'));
    await lesson(sameBea, at(8), name('bea'));
    const range = { teacher_id: name('cid'), from: at(0), to: at(24) };
    const found = expectOk(await substitute({ ...range, clazz_ids: [ill] }));
    expect(found).toMatchObject({
      items: [
        { id: first.id, teacher_id: name('zoe') },
        { id: second.id, teacher_id: name('bea') },
      ],
      unassigned: [],
    });
    // Every teacher of the organization has a lesson at that time.
    const otherDay = nextDay();
    const lonely = await lesson(ill, otherDay(8), name('cid'));
    const staff = await fixture.sql<{ teacher_id: string }>(
      `select teacher_id from clazz.staff_period where teacher_id <> $1
       union select user_id from clazz.member where role = 'TEACHER' and status = 'active'`,
      [name('cid')],
    );
    for (const { teacher_id } of staff) await lesson(sameZoe, otherDay(8), teacher_id);
    expect(expectOk(await substitute({ ...range, from: otherDay(0), to: otherDay(24) }))).toMatchObject({
      items: [],
      unassigned: [{ id: lonely.id, teacher_id: name('cid'), clazz_name: 'Rhetoric' }],
    });
  });

  it('are assigned only by supervisors, and never to the replaced teacher', async () => {
    const { at, name, ill } = await createSchool();
    await lesson(ill, at(8), name('cid'));
    const range = { teacher_id: name('cid'), from: at(0), to: at(24) };
    expectRefusal(await teacher(name('cid')).post('/clazz/substitution', range), 403, 'forbidden');
    expectRefusal(await substitute({ ...range, with: name('cid') }), 400, 'invalid_request');
    expectRefusal(await substitute({ ...range, to: range.from }), 400, 'invalid_request');
    expectRefusal(await substitute({ ...range, clazz_ids: [crypto.randomUUID()] }), 404, 'not_found');
    expect(expectOk(await stranger().post('/clazz/substitution', range))).toEqual({ items: [], unassigned: [] });
    expect((await substitute({ ...range, with: name('bea'), clazz_ids: [] })).body).toMatchObject({ items: [] });
  });
});

/** The audit entries of changed lessons of a class, newest first. */
const lessonAuditEntries = async (clazz_id: string) =>
  expectOk(await supervisor().get(`/clazz/${clazz_id}/audit-log?entity=lesson&action=update`)).items;

describe('a substitution in parallel with other changes', () => {
  it('assigns all lessons or none, and loses no move of a lesson', async () => {
    const { at, name, ill, sameBea, other } = await createSchool();
    const mine = [await lesson(ill, at(8), name('cid')), await lesson(other, at(10), name('cid'))];
    const theirs = await lesson(sameBea, at(14), name('bea'));
    const range = { teacher_id: name('cid'), from: at(0), to: at(24), with: name('bea') };
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      const [done, moved, changed] = await Promise.all([
        substitute(range),
        // Moves a lesson of the substitute to the time of the second lesson.
        supervisor().patch(`/clazz/lesson/${theirs.id}`, { starts_at: at(10.5) }),
        supervisor().patch(`/clazz/lesson/${mine[0]?.id}`, { starts_at: at(8 + round / 10), room: `r-${round}` }),
      ]);
      const now = await Promise.all(mine.map((row) => lessonOf(row.id)));
      const given = now.map((row) => row.teacher_id === name('bea'));
      expect(given).toEqual(done.status === 200 ? [true, true] : [false, false]);
      expect([codeOf(done), codeOf(moved)].toSorted()).toEqual(['200', '409 schedule_conflict']);
      expect(codeOf(changed)).toBe('200');
      expect(now[0]).toMatchObject({ room: `r-${round}`, starts_at: at(8 + round / 10) });
      expect((await lessonOf(theirs.id)).starts_at).toBe(moved.status === 200 ? at(10.5) : at(14));
      // Restores the state before the round.
      expectOk(await substitute({ ...range, teacher_id: name('bea'), clazz_ids: [ill, other], with: name('cid') }));
      expectOk(await supervisor().patch(`/clazz/lesson/${theirs.id}`, { starts_at: at(14) }));
    }
  });

  it('never gives a teacher two lessons at the same time', async () => {
    const { at, name, ill, sameZoe } = await createSchool();
    const lessons = [];
    for (const hour of [8, 9, 10]) lessons.push(await lesson(ill, at(hour), name('cid')));
    for (const hour of [8, 9, 10]) lessons.push(await lesson(sameZoe, at(hour), name('zoe')));
    const range = { from: at(0), to: at(24) };
    const answers = await Promise.all([
      substitute({ ...range, teacher_id: name('cid') }),
      substitute({ ...range, teacher_id: name('zoe') }),
      substitute({ ...range, teacher_id: name('cid') }),
    ]);
    for (const answer of answers) expectOk(answer);
    const doubleBooked = await fixture.sql(
      `select a.id from clazz.lesson a join clazz.lesson b on a.teacher_id = b.teacher_id and a.id < b.id
         and a.org_id = b.org_id and a.starts_at < b.ends_at and b.starts_at < a.ends_at`,
    );
    expect(doubleBooked).toEqual([]);
  });
});
