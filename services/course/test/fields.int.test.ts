import { randomUUID } from 'node:crypto';
import {
  type AnyCall,
  type CategoryFields,
  clazzCalls,
  courseCalls,
  courseCategoryCalls,
  type CourseFields,
  courseGroupCalls,
  courseSectionCalls,
  type GroupFields,
  jihuaCalls,
  type JihuaFields,
  lianxiCalls,
  type LianxiFields,
  type SectionFields,
} from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const api = () => fixture.as({ role: 'SUPERVISOR' });
const category = (name: string) => api().ok(courseCategoryCalls.createCourseCategory, { body: { name } });
const newCourse = () => api().ok(courseCalls.createCourse, { body: { title: 'c' } });
const section = (course_id: string, title: string) =>
  api().ok(courseSectionCalls.createCourseSection, { path: { course_id }, body: { title } });

/** Values of one field in the test. */
interface Sample<T = unknown> {
  /** The value at creation. */
  is: T;
  /** The value after the change. */
  becomes: T;
  /** The value after `null` is sent. Absent: `null` is refused. */
  cleared?: unknown;
  /** Other fields that the change alters. */
  also?: object;
}
/** A sample for every field that can be set. A field without a sample does not compile. */
type Samples<C extends z.ZodRawShape> = { readonly [K in keyof C]-?: Sample<Exclude<z.input<C[K]>, undefined>> };

const first = <S extends Record<string, Sample>>(samples: S) =>
  Object.fromEntries(Object.entries(samples).map(([name, { is }]) => [name, is])) as { [K in keyof S]: S[K]['is'] };

/**
 * Changes each field alone, and expects that it is stored and that the others stay. Returns the answer to the last
 * change.
 */
const setEach = async (update: AnyCall, it: { id: string }, samples: Record<string, Sample>): Promise<object> => {
  const path = { id: it.id };
  let fields: object = first(samples);
  let last: object = it;
  const change = async (body: object, becomes: object): Promise<void> => {
    last = Object(await api().ok(update, { path, query: {}, body }));
    fields = { ...fields, ...becomes };
    expect(last).toMatchObject(fields);
  };
  expect(it).toMatchObject(fields);
  for (const [name, { becomes, also }] of Object.entries(samples)) {
    await change({ [name]: becomes }, { [name]: becomes, ...also });
  }
  for (const [name, sample] of Object.entries(samples)) {
    if ('cleared' in sample) await change({ [name]: null }, { [name]: sample.cleared });
    else expect((await api().refused(update, { path, body: { [name]: null } })).status, name).toBe(400);
  }
  await expectNoChange(update, it.id, last, Object.keys(samples));
  return last;
};

/** Expects that sending the stored values changes neither version nor time, and publishes no event. */
const expectNoChange = async (update: AnyCall, id: string, it: object, names: string[]): Promise<void> => {
  const before = (await fixture.events('course')).length;
  const same = Object.fromEntries(Object.entries(it).filter(([name]) => names.includes(name)));
  for (const body of [same, {}]) {
    expect(await api().ok(update, { path: { id }, query: {}, body })).toEqual(it);
  }
  expect((await fixture.events('course')).length).toBe(before);
};

it('creates and updates every field of a category', async () => {
  const [a, b] = [await category('a'), await category('b')];
  const samples: Samples<typeof CategoryFields.create> = {
    name: { is: 'c', becomes: 'd' },
    parent_id: { is: a.id, becomes: b.id, cleared: null },
  };
  const made = await api().ok(courseCategoryCalls.createCourseCategory, { body: first(samples) });
  const last = await setEach(courseCategoryCalls.updateCourseCategory, made, samples);
  expect((await api().ok(courseCategoryCalls.listCourseCategories, { query: { keyword: 'd' } })).items).toEqual([last]);
});

it('creates and updates every field of a course', async () => {
  const [a, b] = [await category('First'), await category('Second')];
  const samples: Samples<typeof CourseFields.create> = {
    title: { is: 'Algebra', becomes: 'Algebra II' },
    description: { is: 'numbers', becomes: 'letters', cleared: '' },
    category_id: { is: a.id, becomes: b.id, cleared: null },
    teacher_id: { is: 'teacher-1', becomes: 'teacher-2' },
    status: { is: 'active', becomes: 'archived', cleared: 'draft' },
  };
  const made = await api().ok(courseCalls.createCourse, { body: first(samples) });
  const last = await setEach(courseCalls.updateCourse, made, samples);
  const read = await api().ok(courseCalls.getCourse, { path: { id: made.id } });
  expect(read).toEqual(last);
  expect((await api().ok(courseCalls.listCourses, { query: { teacher_id: 'teacher-2' } })).items).toEqual([read]);
});

it('creates and updates every field of a section', async () => {
  const path = { course_id: (await newCourse()).id };
  const [a, b] = [await section(path.course_id, 'a'), await section(path.course_id, 'b')];
  const samples: Samples<typeof SectionFields.create> = {
    title: { is: 'c', becomes: 'd' },
    parent_id: { is: a.id, becomes: b.id, cleared: null },
  };
  const made = await api().ok(courseSectionCalls.createCourseSection, { path, body: first(samples) });
  const last = await setEach(courseSectionCalls.updateCourseSection, made, samples);
  expect((await api().ok(courseSectionCalls.listCourseSections, { path })).items.at(-1)).toEqual(last);
});

it('creates and updates every field of a group', async () => {
  const samples: Samples<typeof GroupFields.create> = {
    name: { is: 'g', becomes: 'h' },
    description: { is: 'one', becomes: 'two', cleared: '' },
    org_visible: { is: true, becomes: false, cleared: false },
    owner_id: { is: 'teacher-1', becomes: 'teacher-2' },
  };
  const made = await api().ok(courseGroupCalls.createCourseGroup, { body: first(samples) });
  const last = await setEach(courseGroupCalls.updateCourseGroup, made, samples);
  const read = await api().ok(courseGroupCalls.getCourseGroup, { path: { id: made.id } });
  expect(read).toEqual(last);
  expect((await api().ok(courseGroupCalls.listCourseGroups, { query: { owner_id: 'teacher-2' } })).items).toEqual([
    read,
  ]);
});

it('creates and updates every field of a plan', async () => {
  const samples: Samples<typeof JihuaFields.create> = {
    title: { is: 'p', becomes: 'q' },
    starts_on: { is: '2026-03-02', becomes: '2026-03-03' },
    ends_on: { is: '2026-03-20', becomes: '2026-03-21' },
    zone: { is: 'UTC', becomes: 'Asia/Tokyo' },
    weekdays: { is: [1, 2], becomes: [3], cleared: null },
    rrule: { is: null, becomes: 'FREQ=DAILY', cleared: null, also: { weekdays: null } },
    items: { is: [{ title: 'one' }], becomes: [{ title: 'two', note: 'n' }], cleared: [] },
    backfill_days: { is: 0, becomes: 7, cleared: 2 },
    frozen_dates: { is: ['2026-03-09'], becomes: ['2026-03-10'], cleared: [] },
  };
  const made = await api().ok(jihuaCalls.createJihua, { body: { ...first(samples), student_ids: ['ann'] } });
  const last = await setEach(jihuaCalls.updateJihua, made, samples);
  const read = await api().ok(jihuaCalls.getJihua, { path: { id: made.id } });
  expect(read).toEqual(last);
  const { planned_dates: _days, student_ids: _ids, student_names: _names, students: _students, ...listed } = read;
  expect((await api().ok(jihuaCalls.listJihua, { query: { keyword: 'q' } })).items).toEqual([listed]);
});

it('creates and updates every field of an exercise', async () => {
  const course = await newCourse();
  const [a, b] = [await section(course.id, 'a'), await section(course.id, 'b')];
  const clazz = () => api().ok(clazzCalls.createClazz, { body: { name: randomUUID(), lead_teacher_id: 'teacher-1' } });
  const [x, y] = [await clazz(), await clazz()];
  const question = { id: 'q', kind: 'fill_in', prompt: '?', points: '1.00' } as const;
  const samples: Samples<typeof LianxiFields.create> = {
    title: { is: 'p', becomes: 'q' },
    course_section_id: { is: a.id, becomes: b.id },
    content: { is: { questions: [] }, becomes: { questions: [question] }, also: { total_points: '1.00' } },
    due_at: { is: '2026-03-01T00:00:00.000Z', becomes: '2026-03-02T00:00:00.000Z', cleared: null },
    closes_at: { is: '2026-03-03T00:00:00.000Z', becomes: '2026-03-04T00:00:00.000Z', cleared: null },
    max_attempts: { is: 1, becomes: 2, cleared: null },
    clazz_id: { is: x.id, becomes: y.id, cleared: null },
    release: { is: 'at_once', becomes: 'manual', cleared: 'manual' },
    key: { is: 'never', becomes: 'after_release', cleared: 'after_release' },
  };
  const made = await api().ok(lianxiCalls.createLianxi, { body: first(samples) });
  const last = await setEach(lianxiCalls.updateLianxi, made, samples);
  const read = await api().ok(lianxiCalls.getLianxi, { path: { id: made.id } });
  expect(read).toEqual(last);
  const { content: _large, student_ids: _ids, student_names: _names, ...listed } = read;
  const ofNobody = { attempts: null, last_submitted_at: null, last_score: null };
  expect((await api().ok(lianxiCalls.listLianxi, { query: { keyword: 'q' } })).items).toEqual([
    { ...listed, ...ofNobody },
  ]);
});
