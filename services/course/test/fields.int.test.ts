import { randomUUID } from 'node:crypto';
import type {
  CategoryFields,
  CourseFields,
  GroupFields,
  JihuaFields,
  LianxiFields,
  SectionFields,
} from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const api = () => fixture.as({ role: 'SUPERVISOR' });
const create = async (path: string, body: object) => {
  const created = await api().post(path, body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body;
};

/** What a field is at first, what it is changed to, and what `null` makes of it; without that, `null` is refused. */
interface Sample {
  is: unknown;
  becomes: unknown;
  cleared?: unknown;
  /** Other fields that the change makes something of. */
  also?: object;
}
/** Every field that can be set: one without a sample does not compile. */
type Samples<C> = { readonly [K in keyof C]: Sample };

const first = (samples: Record<string, Sample>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(samples).map(([name, { is }]) => [name, is]));

/** Sets each field alone: it is stored, and the others stay. */
const setEach = async (path: string, it: { id: string }, samples: Record<string, Sample>) => {
  const one = `${path}/${it.id}`;
  let fields = first(samples);
  let last: unknown = it;
  const change = async (sent: object, becomes: object): Promise<void> => {
    const answer = await api().patch(one, sent);
    fields = { ...fields, ...becomes };
    expect(answer.body).toMatchObject(fields);
    last = answer.body;
  };
  expect(it).toMatchObject(fields);
  for (const [name, { becomes, also }] of Object.entries(samples)) {
    await change({ [name]: becomes }, { [name]: becomes, ...also });
  }
  for (const [name, sample] of Object.entries(samples)) {
    if ('cleared' in sample) await change({ [name]: null }, { [name]: sample.cleared });
    else expect((await api().patch(one, { [name]: null })).status, name).toBe(400);
  }
  return last;
};

it('every field of a category', async () => {
  const [a, b] = [
    await create('/ws/course-category', { name: 'a' }),
    await create('/ws/course-category', { name: 'b' }),
  ];
  const samples: Samples<typeof CategoryFields.create> = {
    name: { is: 'c', becomes: 'd' },
    parent_id: { is: a.id, becomes: b.id, cleared: null },
  };
  const made = await create('/ws/course-category', first(samples));
  const last = await setEach('/ws/course-category', made, samples);
  expect((await api().get('/ws/course-category?keyword=d')).body.items).toEqual([last]);
});

it('every field of a course', async () => {
  const [a, b] = [
    await create('/ws/course-category', { name: 'A' }),
    await create('/ws/course-category', { name: 'B' }),
  ];
  const samples: Samples<typeof CourseFields.create> = {
    title: { is: 'Algebra', becomes: 'Algebra II' },
    description: { is: 'numbers', becomes: 'letters', cleared: '' },
    category_id: { is: a.id, becomes: b.id, cleared: null },
    teacher_id: { is: 'teacher-1', becomes: 'teacher-2' },
    status: { is: 'active', becomes: 'archived', cleared: 'draft' },
  };
  const made = await create('/ws/course', first(samples));
  const last = await setEach('/ws/course', made, samples);
  expect((await api().get(`/ws/course/${made.id}`)).body).toEqual(last);
  expect((await api().get('/ws/course?teacher_id=teacher-2')).body.items).toEqual([last]);
});

it('every field of a section', async () => {
  const course = await create('/ws/course', { title: 'c' });
  const path = `/ws/course/${course.id}/section`;
  const [a, b] = [await create(path, { title: 'a' }), await create(path, { title: 'b' })];
  const samples: Samples<typeof SectionFields.create> = {
    title: { is: 'c', becomes: 'd' },
    parent_id: { is: a.id, becomes: b.id, cleared: null },
  };
  const made = await create(path, first(samples));
  const last = await setEach('/ws/course-section', made, samples);
  expect((await api().get(path)).body.items.at(-1)).toEqual(last);
});

it('every field of a group', async () => {
  const samples: Samples<typeof GroupFields.create> = {
    name: { is: 'g', becomes: 'h' },
    description: { is: 'one', becomes: 'two', cleared: '' },
    org_visible: { is: true, becomes: false, cleared: false },
    owner_id: { is: 'teacher-1', becomes: 'teacher-2' },
  };
  const made = await create('/ws/course-group', first(samples));
  const last = await setEach('/ws/course-group', made, samples);
  expect((await api().get(`/ws/course-group/${made.id}`)).body).toEqual(last);
  expect((await api().get('/ws/course-group?owner_id=teacher-2')).body.items).toEqual([last]);
});

it('every field of a plan', async () => {
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
  const made = await create('/ws/jihua', { ...first(samples), student_ids: ['ann'] });
  const last = await setEach('/ws/jihua', made, samples);
  expect((await api().get(`/ws/jihua/${made.id}`)).body).toEqual(last);
  const { planned_dates: _many, student_ids: _whose, ...listed } = Object(last);
  expect((await api().get('/ws/jihua?keyword=q')).body.items).toEqual([listed]);
});

it('every field of a practice', async () => {
  const path = `/ws/course/${(await create('/ws/course', { title: 'c' })).id}/section`;
  const [a, b] = [await create(path, { title: 'a' }), await create(path, { title: 'b' })];
  const clazz = () => create('/clazz', { name: randomUUID(), lead_teacher_id: 'teacher-1' });
  const [x, y] = [await clazz(), await clazz()];
  const question = { id: 'q', kind: 'fill_in', prompt: '?', points: '1.00' };
  const samples: Samples<typeof LianxiFields.create> = {
    title: { is: 'p', becomes: 'q' },
    course_section_id: { is: a.id, becomes: b.id },
    content: { is: { questions: [] }, becomes: { questions: [question] }, also: { total_points: '1.00' } },
    due_at: { is: '2026-03-01T00:00:00.000Z', becomes: '2026-03-02T00:00:00.000Z', cleared: null },
    clazz_id: { is: x.id, becomes: y.id, cleared: null },
  };
  const made = await create('/ws/lianxi', first(samples));
  const last = await setEach('/ws/lianxi', made, samples);
  expect((await api().get(`/ws/lianxi/${made.id}`)).body).toEqual(last);
  const { content: _large, student_ids: _whose, ...listed } = Object(last);
  expect((await api().get('/ws/lianxi?keyword=q')).body.items).toEqual([listed]);
});
