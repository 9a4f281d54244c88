import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyCall, allCalls, auditCalls, type Role, ROLES } from '@teaching/contracts';
import { afterAll, assert, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../tools/test/api.ts';
import { contentsOf } from '../../../tools/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { type OneOfEach, oneOfEach, OURS } from '../../../tools/test/one-of-each.ts';
import type { Anything } from '../../../tools/test/request.ts';

type Kind = keyof OneOfEach;
const routed = allCalls.filter((call) => call.http !== null);
/** Whoever has a secret address may read it, wherever they are from. */
const closed = routed.filter((call) => call.who !== 'anyone');

/** Which of our records each path parameter names: by service, entity and name of the parameter. */
const PARAMETERS: Readonly<Record<string, Kind>> = {
  'package.package.id': 'package',
  'package.item.package_id': 'package',
  'package.version.id': 'package',
  'package.version.number': 'version',
  'course.category.id': 'category',
  'course.course.id': 'course',
  'course.section.course_id': 'course',
  'course.section.id': 'section',
  'course.group.id': 'group',
  'course.lianxi.id': 'lianxi',
  'course.submission.id': 'lianxi',
  'course.piyue.submission_id': 'submission',
  'course.jihua.id': 'jihua',
  'clazz.clazz.id': 'clazz',
  'clazz.enrolment.id': 'clazz',
  'clazz.enrolment.student_id': 'student',
  'clazz.lesson.id': 'clazz',
  'clazz.lesson.lesson_id': 'lesson',
  'clazz.series.id': 'clazz',
  'clazz.audit.id': 'clazz',
  'clazz.calendar.secret': 'secret',
  'clazz.roll_call.lesson_id': 'lesson',
  'clazz.leave.id': 'leave',
  'clazz.hour.student_id': 'student',
  'stats.clazz.id': 'clazz',
};
/** Which of our records, or whom, a filter names, wherever it is asked for. */
const FILTERS: Readonly<Record<string, Kind>> = {
  parent_id: 'category',
  category_id: 'category',
  course_id: 'course',
  course_section_id: 'section',
  lianxi_id: 'lianxi',
  jihua_id: 'jihua',
  clazz_id: 'clazz',
  lesson_id: 'lesson',
  series_id: 'series',
  student_id: 'student',
  teacher_id: 'teacher',
  lead_teacher_id: 'teacher',
  owner_id: 'teacher',
  actor_id: 'teacher',
};
const PEOPLE: readonly Kind[] = ['student', 'teacher'];

const kindOf = (call: AnyCall, name: string): Kind | undefined =>
  PARAMETERS[`${call.id.split('.').slice(0, 2).join('.')}.${name}`];
const parametersOf = (call: AnyCall): string[] => Object.keys(call.path.shape);
/** Names of people mean nothing across organizations: a stranger may have the same. */
const namesRecord = (call: AnyCall): boolean => parametersOf(call).some((name) => kindOf(call, name) !== 'student');
const filtersOf = (call: AnyCall): string[] => Object.keys(call.query.shape).filter((name) => name.endsWith('_id'));
const isNeeded = (call: AnyCall, filter: string): boolean => !call.query.shape[filter].safeParse(undefined).success;

/** What has to be said besides: bodies that name our records wherever they can, and what a query must have. */
const saidTo = (our: OneOfEach): Readonly<Record<string, Anything>> => {
  const times = { starts_at: '2092-01-01T10:00:00Z', ends_at: '2092-01-01T11:00:00Z' };
  const rhythm = { starts_on: '2093-01-01', start_time: '10:00', duration_minutes: 60, zone: 'UTC' };
  const series = { body: { ...rhythm, rrule: 'FREQ=DAILY', count: 1 } };
  const days = { starts_on: '2092-01-01', ends_on: '2092-01-02', zone: 'UTC' };
  const practice = { title: 'x', course_section_id: our.section, content: { questions: [] } };
  return {
    'package.package.create': { body: { title: 'x', category_id: our.category } },
    'package.package.update': { body: { title: 'x' } },
    'package.item.sync': { body: { package_id: our.package, items: [] } },
    'package.version.diff': { query: { from: our.version, to: our.next_version } },
    'course.category.create': { body: { name: 'x', parent_id: our.category } },
    'course.category.update': { body: { name: 'x' } },
    'course.course.create': { body: { title: 'x', category_id: our.category } },
    'course.course.update': { body: { title: 'x' } },
    'course.section.create': { body: { title: 'x' } },
    'course.section.update': { body: { title: 'x' } },
    'course.section.reorder': { body: { section_ids: [our.section] } },
    'course.group.create': { body: { name: 'x' } },
    'course.group.update': { body: { name: 'x' } },
    'course.group.put_courses': { body: { course_ids: [our.course] } },
    'course.member.put_bulk': { body: { members: [{ user_id: our.student, role: 'STUDENT', display_name: 'x' }] } },
    'course.lianxi.create': { body: practice },
    'course.lianxi.update': { body: { title: 'x' } },
    'course.lianxi.extend': { body: { student_id: our.student, due_at: times.starts_at } },
    'course.submission.create': { body: { answers: {} } },
    'course.piyue.mark': { body: { score: 1, reason: 'x' } },
    'course.piyue.release': { body: { submission_ids: [our.submission] } },
    'course.jihua.create': { body: { title: 'x', ...days } },
    'course.jihua.update': { body: { title: 'x' } },
    'course.jihua.put_students': { body: { student_ids: [our.student] } },
    'course.daka.put': { body: { jihua_id: our.jihua, student_id: our.student } },
    'course.daka.streak': { query: { student_id: our.student } },
    'clazz.clazz.create': { body: { name: 'x', lead_teacher_id: 'lee', course_id: our.course } },
    'clazz.clazz.update': { body: { name: 'x' } },
    'clazz.clazz.reopen': { body: { reason: 'x' } },
    'clazz.clazz.set_assistants': { body: { teacher_ids: ['lee'] } },
    'clazz.enrolment.enrol': { body: { student_ids: ['bob'] } },
    'clazz.enrolment.transfer': { body: { to_clazz_id: our.other_clazz } },
    'clazz.lesson.create': { body: times },
    'clazz.lesson.update': { body: { room: 'x' } },
    'clazz.series.preview': series,
    'clazz.series.create': series,
    'clazz.holiday.put': { body: { holidays: [] } },
    'clazz.policy.put': { body: {} },
    'clazz.roll_call.submit': { body: { marks: [{ student_id: our.student, mark: 'absent' }], reason: 'x' } },
    'clazz.leave.request': { body: { lesson_id: our.lesson_with_leave, student_id: our.student, reason: 'x' } },
    'clazz.leave.make_up': { body: { lesson_id: our.lesson } },
    'clazz.hour.grant': { body: { student_id: our.student, hours: 1, package_id: our.package } },
    'clazz.hour.transfer': {
      body: { from_student_id: our.student, to_student_id: 'bob', hours: 1, reason: 'x' },
    },
    'clazz.hour.adjust': { body: { student_id: our.student, hours: 1, reason: 'x' } },
    'clazz.hour.quote_refund': { body: { student_id: our.student } },
    'clazz.hour.refund': { body: { quote_id: our.quote } },
    'stats.explain.list': { query: { figure: 'scheduled' } },
  };
};

/** A whole request. */
type Asked = Required<Pick<Anything, 'body'>> & Record<'path' | 'query', Record<string, unknown>>;

/** What a stranger would send to a call who knows all our ids: as it is, and with each filter. */
const requestsTo = (call: AnyCall, our: OneOfEach, withPeople: boolean): Asked[] => {
  const { query = {}, body } = saidTo(our)[call.id] ?? {};
  const path = Object.fromEntries(parametersOf(call).map((name) => [name, our[kindOf(call, name) ?? 'student']]));
  const filters = filtersOf(call).map((name): [string, Kind | undefined] => [name, FILTERS[name]]);
  const given = filters.flatMap(([name, kind]) => (kind === undefined ? [] : [{ name, kind, value: our[kind] }]));
  const needed = Object.fromEntries(
    given.filter(({ name }) => isNeeded(call, name)).map(({ name, value }) => [name, value]),
  );
  const narrowed = given.filter(({ kind }) => withPeople || !PEOPLE.includes(kind));
  return [{}, ...narrowed.map(({ name, value }) => ({ [name]: value }))].map((filter) => ({
    path,
    query: { ...query, ...needed, ...filter },
    body,
  }));
};

let fixture: Fixture;
let our: OneOfEach;
let before: Record<string, string[]>;

/** What was told has reached the trail and the statistics, and nothing moves any more. */
const atRest = async (): Promise<Record<string, string[]>> => {
  const boss = fixture.as({ role: 'SUPERVISOR' });
  await vi.waitFor(async () => assert((await boss.ok(auditCalls.head)).complete), { timeout: 20_000, interval: 100 });
  let contents = await contentsOf(fixture, fixture.org);
  for (let last = ''; JSON.stringify(contents) !== last; contents = await contentsOf(fixture, fixture.org)) {
    last = JSON.stringify(contents);
    await sleep(700);
  }
  return contents;
};

beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
  before = await atRest();
});
afterAll(() => fixture?.stop());

/** What a stranger hears of themselves, who has the name of our student: they have no hours, and teach nobody. */
const OF_THEMSELVES: Readonly<Record<string, string>> = {
  'clazz.hour.transfer': 'insufficient_hours',
  'clazz.hour.account': 'forbidden',
  'clazz.hour.list_entries': 'forbidden',
};

/** What other organizations have, too: people of these names, and first versions. */
const COMMON: readonly string[] = ['student', 'teacher', 'version', 'next_version'] satisfies Kind[];
/** What gives a record of ours away: its id, a text of it, or the organization. */
const givesAway = (value: unknown): boolean => {
  const ids = Object.entries(our).flatMap(([kind, id]) => (COMMON.includes(kind) ? [] : [id]));
  const text = JSON.stringify(value);
  return [...ids, OURS, fixture.org].some((one) => text.includes(one));
};

/** How a call came out for a stranger, if it is not as if there were none of our records. */
const leak = async (api: Api, call: AnyCall, request: Asked): Promise<string[]> => {
  const outcome = await api.outcome(call, request);
  const said = outcome.code === 'done' ? outcome.body : outcome.problem;
  if (givesAway(said)) return [`${call.id} gives away ${JSON.stringify(said)}`];
  if (outcome.code === 'not_found') return [];
  if (!namesRecord(call) && ['done', OF_THEMSELVES[call.id]].includes(outcome.code)) return [];
  return [`${call.id} ${JSON.stringify(request)}: ${outcome.code} ${JSON.stringify(said)}`];
};

describe('a record of each kind', () => {
  it('fills all tables, so that something could be seen or changed in each', () => {
    const machinery = /^stats\.(log_entry|log_org|idempotency_key)$|\.dead_letter$/;
    const empty = Object.entries(before).filter(([name, rows]) => rows.length === 0 && !machinery.test(name));
    expect(empty.map(([name]) => name)).toEqual([]);
  });

  it('is named by every path parameter and every filter', () => {
    const missing = routed.flatMap((call) =>
      [
        ...parametersOf(call).filter((name) => kindOf(call, name) === undefined),
        ...filtersOf(call).filter((name) => FILTERS[name] === undefined),
      ].map((name) => `${call.id}: which record is {${name}}? Make one in one-of-each.ts and name it above`),
    );
    expect(missing).toEqual([]);
  });

  it('is named with whatever else a route needs', () => {
    const wrong = routed.flatMap((call) =>
      requestsTo(call, our, true).flatMap(({ path, query, body }) =>
        [call.path.safeParse(path), call.query.safeParse(query), call.body.safeParse(body)].flatMap(({ error }) =>
          error === undefined ? [] : [`${call.id}: what would a stranger send? ${error.message}`],
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('to another organization', () => {
  const ALL = 'whoever has all roles';
  it.each([ALL, ...ROLES])(
    'every route answers %s as if there were none of our records, and leaves them',
    async (who) => {
      const roles: readonly Role[] = ROLES.filter((role) => who === ALL || role === who);
      // The same name as our student, for a name means nothing.
      const api = fixture.as({ role: roles, org: randomUUID(), sub: our.student });
      const allowed = closed.filter((call) => roles.some((role) => call.who.includes(role)));
      const tried = await Promise.all(
        allowed.flatMap((call) => requestsTo(call, our, who === ALL).map((request) => leak(api, call, request))),
      );
      expect(tried.flat()).toEqual([]);
      expect(await contentsOf(fixture, fixture.org)).toEqual(before);
    },
  );
});

/** Answers that name nothing: they are known by being other than those of an organization without records. */
const SUMS = [
  'course.daka.streak',
  'clazz.audit.verify',
  'clazz.audit.head',
  'clazz.policy.get',
  'stats.org_overview.get',
];

/** The same requests, by those whose records these are: proof that the strangers asked for something that is there. */
describe('to its own organization', () => {
  const boss = (sub = 'supervisor-1') => fixture.as({ role: [...ROLES], sub });
  const isRead = (call: AnyCall): boolean => call.http?.method === 'GET';

  it('every read shows something of ours', async () => {
    const stranger = fixture.as({ role: [...ROLES], org: randomUUID(), sub: our.student });
    const isShown = async (call: AnyCall, request: Asked, api: Api): Promise<boolean> => {
      const [ours, theirs] = [await api.outcome(call, request), await stranger.outcome(call, request)];
      if (ours.code !== 'done') return false;
      return SUMS.includes(call.id) ? JSON.stringify(ours) !== JSON.stringify(theirs) : givesAway(ours.body);
    };
    const blind: string[] = [];
    for (const call of routed.filter(isRead)) {
      const requests = requestsTo(call, our, true);
      const shown = [boss(), boss(our.student)].flatMap((api) => requests.map((one) => isShown(call, one, api)));
      if (!(await Promise.all(shown)).includes(true)) blind.push(call.id);
    }
    expect(blind).toEqual([]);
  });

  it('every write finds what it names', async () => {
    // What makes something comes first, and what removes something last.
    const turn = ({ status, http }: AnyCall): number => (http?.method === 'DELETE' ? 2 : status === 201 ? 0 : 1);
    const wrong: string[] = [];
    for (const call of closed.filter((one) => !isRead(one)).toSorted((a, b) => turn(a) - turn(b))) {
      const [request = { path: {}, query: {}, body: undefined }] = requestsTo(call, our, false);
      const outcome = await boss(our.student).outcome(call, request);
      // A conflict with the state of a record has found it.
      if (outcome.code !== 'done' && outcome.status !== 409)
        wrong.push(`${call.id}: ${outcome.code} ${outcome.problem.detail}`);
    }
    expect(wrong).toEqual([]);
  });
});
