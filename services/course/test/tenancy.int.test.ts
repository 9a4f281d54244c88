import { randomUUID } from 'node:crypto';
import { allCalls, ROLES } from '@teaching/contracts';
import { afterAll, assert, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { oneOfEachToLearn } from '../../../tools/proofs/test/one-of-each.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

type Records = Awaited<ReturnType<typeof oneOfEachToLearn>>;

let fixture: Fixture;
let records: Records;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
  records = await oneOfEachToLearn(fixture);
  // The course service receives the directory by events, so its copy is complete a moment later.
  await vi.waitFor(async () => assert((await peopleIn('course')) === (await peopleIn('clazz'))), POLL_OPTIONS);
});
afterAll(() => fixture?.stop());

const peopleIn = async (schema: 'clazz' | 'course'): Promise<number> =>
  (await fixture.sql(`select from ${schema}.member where org_id = $1`, [fixture.org])).length;

/** The expected answer to another org: 404, an empty page, or success if the request contains none of our ids. */
type Expected = 404 | 'empty' | 'own';

/** The request from another org to each call: a path with our ids, a body, and the expected answer. */
const attempts = (r: Records): Record<string, [path: string, body: object | undefined, expected: Expected]> => ({
  'course.category.create': ['/course-category', { name: 'x', parent_id: r.category }, 404],
  'course.category.list': [`/course-category?parent_id=${r.category}`, undefined, 'empty'],
  'course.category.update': [`/course-category/${r.category}`, { name: 'x' }, 404],
  'course.category.remove': [`/course-category/${r.category}`, undefined, 404],
  'course.course.create': ['/course', { title: 'x', category_id: r.category }, 404],
  'course.course.list': [`/course?category_id=${r.category}`, undefined, 'empty'],
  'course.course.get': [`/course/${r.course}`, undefined, 404],
  'course.course.copy': [`/course/${r.course}/copy`, {}, 404],
  'course.course.update': [`/course/${r.course}`, { title: 'x' }, 404],
  'course.course.remove': [`/course/${r.course}`, undefined, 404],
  'course.section.create': [`/course/${r.course}/section`, { title: 'x' }, 404],
  'course.section.list': [`/course/${r.course}/section`, undefined, 404],
  'course.section.update': [`/course-section/${r.section}`, { title: 'x' }, 404],
  'course.section.remove': [`/course-section/${r.section}`, undefined, 404],
  'course.section.reorder': [`/course/${r.course}/section/reorder`, { section_ids: [r.section] }, 404],
  'course.group.find_org_visible': ['/find_org_visible_course_groups', undefined, 'empty'],
  'course.group.create': ['/course-group', { name: 'own' }, 'own'],
  'course.group.list': ['/course-group?owner_id=supervisor-1', undefined, 'empty'],
  'course.group.get': [`/course-group/${r.group}`, undefined, 404],
  'course.group.update': [`/course-group/${r.group}`, { name: 'x' }, 404],
  'course.group.remove': [`/course-group/${r.group}`, undefined, 404],
  'course.group.put_courses': [`/course-group/${r.group}/courses`, { course_ids: [] }, 404],
  'course.lianxi.create': ['/lianxi', { title: 'x', course_section_id: r.section, content: { questions: [] } }, 404],
  'course.lianxi.list': ['/lianxi', undefined, 'empty'],
  'course.lianxi.get': [`/lianxi/${r.lianxi}`, undefined, 404],
  'course.lianxi.copy': [`/lianxi/${r.lianxi}/copy`, {}, 404],
  'course.lianxi.overview': [`/lianxi/${r.lianxi}/overview`, undefined, 404],
  'course.lianxi.update': [`/lianxi/${r.lianxi}`, { title: 'x' }, 404],
  'course.lianxi.remove': [`/lianxi/${r.lianxi}`, undefined, 404],
  'course.lianxi.extend': [
    `/lianxi/${r.lianxi}/extension`,
    { student_id: r.student, due_at: '2026-01-01T00:00:00Z' },
    404,
  ],
  'course.submission.create': [`/lianxi/${r.lianxi}/submission`, { answers: {} }, 404],
  'course.submission.list': [`/lianxi/${r.lianxi}/submission`, undefined, 404],
  'course.piyue.queue': [`/piyue/queue?lianxi_id=${r.lianxi}`, undefined, 'empty'],
  'course.piyue.claim': [`/piyue/${r.submission}/claim`, {}, 404],
  'course.piyue.mark': [`/piyue/${r.submission}`, { score: 1 }, 404],
  'course.piyue.release': ['/piyue/release', { submission_ids: [r.submission] }, 404],
  'course.piyue.history': [`/piyue/${r.submission}/history`, undefined, 404],
  'course.jihua.create': ['/jihua', { title: 'x', starts_on: '2026-01-01', ends_on: '2026-01-02', zone: 'UTC' }, 'own'],
  'course.jihua.list': ['/jihua?teacher_id=supervisor-1', undefined, 'empty'],
  'course.jihua.get': [`/jihua/${r.jihua}`, undefined, 404],
  'course.jihua.update': [`/jihua/${r.jihua}`, { title: 'x' }, 404],
  'course.jihua.remove': [`/jihua/${r.jihua}`, undefined, 404],
  'course.jihua.put_students': [`/jihua/${r.jihua}/students`, { student_ids: [] }, 404],
  'course.daka.put': ['/daka', { jihua_id: r.jihua, student_id: r.student }, 404],
  'course.daka.list': [`/daka/list?jihua_id=${r.jihua}`, undefined, 'empty'],
  'course.daka.streak': [`/daka/streak?jihua_id=${r.jihua}&student_id=${r.student}`, undefined, 404],
});

const TABLES = `course_category course course_section course_group course_group_course member lianxi lianxi_student
  lianxi_extension submission mark_revision jihua jihua_student daka`.split(/\s+/);

const Page = z.object({ items: z.array(z.unknown()) });

/** All rows of the org as text, and its number of published events. */
const contents = async (): Promise<unknown[]> => {
  const events = await fixture.events('course');
  const all: unknown[] = [events.filter(({ org_id }) => org_id === fixture.org).length];
  for (const table of TABLES) {
    const text = `select $2 as table, t::text as row from course.${table} t where org_id = $1 order by t::text`;
    all.push(...(await fixture.sql(text, [fixture.org, table])));
  }
  return all;
};

it.each([...ROLES, 'all roles' as const])(
  'a caller of another org with the role %s reads and changes nothing',
  async (role) => {
    const roles = role === 'all roles' ? ROLES : [role];
    // The same user id as our student: a user id is valid only within its org.
    const api = fixture.as({ role: roles, org: randomUUID(), sub: records.student });
    const before = await contents();
    const wrong: unknown[] = [];
    const plan = attempts(records);
    for (const call of allCalls.filter(({ id, http }) => id.startsWith('course.') && http !== null)) {
      const attempt = plan[call.id];
      if (attempt === undefined) throw new Error(`add the request from another org to ${call.id} to attempts()`);
      const [path, body, expected] = attempt;
      const { status, body: answer } = await api.send(
        call.http?.method ?? 'GET',
        `/ws${path}`,
        body === undefined ? undefined : JSON.stringify(body),
        body === undefined ? {} : { 'content-type': 'application/json' },
      );
      const allowed = Array.isArray(call.roles) && roles.some((one) => call.roles.includes(one));
      const isEmpty = status === 200 && Page.safeParse(answer).data?.items.length === 0;
      const good = {
        404: status === 404,
        empty: isEmpty,
        own: status === 200 || status === 201,
      };
      if (allowed ? !good[expected] : status !== 403) wrong.push([call.id, status, answer]);
    }
    expect(wrong).toEqual([]);
    expect(await contents()).toEqual(before);
  },
);
