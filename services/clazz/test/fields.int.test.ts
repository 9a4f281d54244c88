import { clazzEvents, ClazzFields, type Lesson, lessonCalls, LessonFields, type ShownClazz } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { type NewClazzFields, newClazz } from '../../../tools/proofs/test/clazz.ts';

/*
 * These tests set every field that callers may set, and expect it in every answer and event of its record. A new field
 * does not compile here until it has a value.
 */
type Values<F extends { withDefaults: (given: never, more: never) => unknown }> = {
  readonly [K in keyof Parameters<F['withDefaults']>[0]]-?: NonNullable<Parameters<F['withDefaults']>[0][K]>;
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'] });
});
afterAll(() => fixture?.stop());
const { supervisor } = peopleOf(() => fixture);

let made = 0;
const uniqueName = (prefix: string): string => `${prefix}-${(made += 1)}`;
const draft = (fields: NewClazzFields = {}): Promise<ShownClazz> =>
  newClazz(supervisor(), { lead_teacher_id: uniqueName('lead'), ...fields }, 'draft');

/** A record as it is read, listed and published after a call. */
interface Found<R> {
  read: R;
  list: readonly R[];
  published: readonly R[];
}
/** Expects a read, a list and the last event to contain the record as a call answered it. */
const expectEverywhere = <R extends { id: string }>(answer: R, { read, list, published }: Found<R>): void => {
  // Reads also contain names.
  expect(read).toMatchObject(answer);
  expect(list.find((row) => row.id === answer.id)).toMatchObject(answer);
  expect(published.findLast((row) => row.id === answer.id)).toEqual(answer);
};
/** The changes in the last audit entry of a record. */
const lastChanges = async (id: string) => {
  const events = await fixture.events('clazz', clazzEvents.auditRecorded);
  const entries = events.flatMap(({ data }) => data.entries).filter((entry) => entry.action !== 'read');
  return entries.findLast((entry) => entry.entity_id === id)?.changes ?? {};
};
/** The fields of an object with their values. */
const entriesOf = <T extends object>(values: T) => Object.entries(values) as [keyof T & string, T[keyof T]][];
/** The fields that `null` resets to their defaults. */
const nullable = <K extends string>(create: Record<K, { safeParse(value: unknown): { success: boolean } }>): K[] =>
  entriesOf(create).flatMap(([field, schema]) => (schema.safeParse(null).success ? [field] : []));

describe('every field of a lesson', () => {
  /** Values that differ from the defaults of a lesson. */
  const OTHER: Values<typeof LessonFields> = {
    starts_at: '2044-03-01T12:00:00.000Z',
    ends_at: '2044-03-01T13:30:00.000Z',
    zone: 'Europe/Berlin',
    hours: '2.50',
    teacher_id: 'another-teacher',
    room: 'Room 7',
    topic: 'Circles',
    homework: 'Page 12, 1 to 5',
  };
  const TIMES = { starts_at: '2044-03-01T10:00:00.000Z', ends_at: '2044-03-01T11:00:00.000Z' };
  const expectLessonEverywhere = async ({
    changed_lessons: _count,
    clazz_name: _clazz,
    teacher_name: _teacher,
    ...lesson
  }: Lesson & { changed_lessons?: number; clazz_name?: string; teacher_name?: string | null }): Promise<void> => {
    const events = await fixture.events('clazz', clazzEvents.lessonChanged);
    expectEverywhere(lesson, {
      read: expectOk(await supervisor().get(`/clazz/lesson/${lesson.id}`)),
      list: expectOk(await supervisor().get(`/clazz/${lesson.clazz_id}/lesson`)).items,
      published: events.flatMap(({ data }) => data.lessons),
    });
  };
  const newLesson = async (fields: Partial<typeof OTHER>): Promise<Lesson> =>
    expectOk(await supervisor().post(`/clazz/${(await draft()).id}/lesson`, fields), 201);
  const patch = async (id: string, fields: Record<string, unknown>, scope = 'this') =>
    expectOk(await supervisor().patch(`/clazz/lesson/${id}?scope=${scope}`, fields));

  it('is set on creation, and null resets it to its default', async () => {
    const lesson = await newLesson(OTHER);
    expect(lesson).toMatchObject(OTHER);
    await expectLessonEverywhere(lesson);
    for (const [field, value] of entriesOf(OTHER)) {
      expect((await lastChanges(lesson.id))[field]).toEqual({ before: null, after: value });
    }
    const plain = await newLesson(TIMES);
    const fields = nullable(LessonFields.create);
    expect(fields).toEqual(expect.arrayContaining(['zone', 'hours', 'teacher_id', 'room', 'topic', 'homework']));
    const cleared = await patch(lesson.id, Object.fromEntries(fields.map((field) => [field, null])));
    const { lead_teacher_id } = expectOk(await supervisor().get(`/clazz/${lesson.clazz_id}`));
    const defaults = { ...plain, teacher_id: lead_teacher_id };
    for (const field of fields) expect([field, cleared[field]]).toEqual([field, defaults[field]]);
    await expectLessonEverywhere(cleared);
  });

  it.each(entriesOf(OTHER))('can be changed alone: %s', async (field, value) => {
    const plain = await newLesson(TIMES);
    const { changed_lessons, ...changed } = await patch(plain.id, { [field]: value });
    const { updated_at } = changed;
    // A new start without an end keeps the length.
    const moved = field === 'starts_at' ? { ends_at: '2044-03-01T13:00:00.000Z' } : {};
    expect(changed).toEqual({ ...plain, ...moved, [field]: value, version: 2, updated_at });
    expect(changed_lessons).toBe(1);
    await expectLessonEverywhere(changed);
    expect((await lastChanges(plain.id))[field]).toEqual({ before: plain[field], after: value });
    expect((await patch(plain.id, { [field]: value })).changed_lessons).toBe(0);
  });

  it.each(entriesOf(LessonFields.filters).map(([field], n) => [field, n] as const))(
    'finds lessons by %s',
    async (field, n) => {
      const times = { starts_at: `2044-05-1${n}T10:00:00Z`, ends_at: `2044-05-1${n}T11:00:00Z` };
      const wanted = await newLesson({ ...times, [field]: OTHER[field] });
      const query = { clazz_id: wanted.clazz_id, [field]: OTHER[field] };
      const found = await supervisor().ok(lessonCalls.listLessons, { query });
      expect(found.items.map(({ id }) => id)).toEqual([wanted.id]);
      const other = { ...query, [field]: uniqueName('other') };
      expect((await supervisor().ok(lessonCalls.listLessons, { query: other })).items).toEqual([]);
    },
  );

  /** The values of a series. Its rule gives the start, end and zone of the lessons. */
  const { starts_at: _start, ends_at: _end, zone: _zone, ...OF_SERIES } = OTHER;
  const newSeries = async (starts_on: string, fields: Partial<typeof OF_SERIES> = {}) => {
    const rule = { starts_on, start_time: '09:00', duration_minutes: 60, zone: 'UTC', rrule: 'FREQ=DAILY', count: 3 };
    return expectOk(await supervisor().post(`/clazz/${(await draft()).id}/lesson/series`, { ...rule, ...fields }), 201);
  };

  it('is set on all lessons of a new series', async () => {
    const { items } = await newSeries('2045-01-01', OF_SERIES);
    expect(items).toHaveLength(3);
    for (const lesson of items) {
      expect(lesson).toMatchObject(OF_SERIES);
      await expectLessonEverywhere(lesson);
    }
  });

  it.each(entriesOf({ ...OF_SERIES, zone: OTHER.zone }).map(([field, value], n) => [field, value, n] as const))(
    'can be changed alone on all lessons of a series: %s',
    async (field, value, n) => {
      const { items } = await newSeries(`2045-02-${10 + 3 * n}`);
      const { changed_lessons } = await patch(items[1]?.id ?? '', { [field]: value }, 'all');
      expect(changed_lessons).toBe(3);
      const after = expectOk(await supervisor().get(`/clazz/${items[0]?.clazz_id}/lesson`)).items;
      expect(after.map((row) => [row[field], row.version])).toEqual(items.map(() => [value, 2]));
      for (const lesson of after) await expectLessonEverywhere(lesson);
    },
  );
});

describe('every field of a class', () => {
  let other: Values<typeof ClazzFields>;
  beforeAll(async () => {
    other = {
      name: 'Geometry',
      course_id: expectOk(await supervisor().post('/ws/course', { title: 'Geometry' }), 201).id,
      course_package_id: expectOk(await supervisor().post('/clazz/course-package', { title: 'Geometry' }), 201).id,
      lead_teacher_id: 'another-lead',
      capacity: 7,
      zone: 'Europe/Berlin',
      starts_on: '2044-03-01',
      ends_on: '2044-04-01',
    };
  });
  const expectClazzEverywhere = async (clazz: ShownClazz): Promise<void> => {
    const events = await fixture.events('clazz', clazzEvents.clazzChanged);
    // Events contain ids without names.
    const { lead_teacher_name, assistant_names } = clazz;
    expectEverywhere(clazz, {
      read: expectOk(await supervisor().get(`/clazz/${clazz.id}`)),
      list: expectOk(await supervisor().get('/clazz?limit=100')).items,
      published: events.map(({ data }) => ({ ...data.clazz, lead_teacher_name, assistant_names })),
    });
  };

  it('is set on creation, and null resets it to its default', async () => {
    const clazz = await draft(other);
    expect(clazz).toMatchObject(other);
    await expectClazzEverywhere(clazz);
    const plain = await draft();
    const fields = nullable(ClazzFields.create);
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    const cleared = expectOk(await supervisor().patch(`/clazz/${clazz.id}`, nulls));
    for (const field of fields) expect([field, cleared[field]]).toEqual([field, plain[field]]);
    await expectClazzEverywhere(cleared);
  });

  it.each(entriesOf(ClazzFields.create).map(([field]) => field))('can be changed alone: %s', async (field) => {
    const plain = await draft();
    const changed = expectOk(await supervisor().patch(`/clazz/${plain.id}`, { [field]: other[field] }));
    const { updated_at } = changed;
    expect(changed).toEqual({ ...plain, [field]: other[field], version: 2, updated_at });
    await expectClazzEverywhere(changed);
    expect(await lastChanges(plain.id)).toEqual({
      [field]: { before: plain[field], after: other[field] },
      version: { before: 1, after: 2 },
    });
  });

  it.each(entriesOf(ClazzFields.filters).map(([field]) => field))('finds classes by %s', async (field) => {
    const [plain, wanted] = [await draft(), await draft({ [field]: other[field] })];
    const { items } = expectOk(await supervisor().get(`/clazz?limit=100&${field}=${other[field]}`));
    const ids = items.map(({ id }: ShownClazz) => id);
    expect(ids).toContain(wanted.id);
    expect(ids).not.toContain(plain.id);
  });
});
