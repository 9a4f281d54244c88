import { randomUUID } from 'node:crypto';
import {
  ALL_ROLES,
  type AnyCall,
  allCalls,
  auditCalls,
  courseCategoryCalls,
  courseGroupCalls,
  dakaCalls,
  enrolmentCalls,
  hourCalls,
  jihuaCalls,
  lessonCalls,
  packageCalls,
  piyueCalls,
  policyCalls,
  refusalCalls,
  type Role,
  ROLES,
  roomCalls,
  statsCalls,
  takesWriteToken,
} from '@teaching/contracts';
import { addDays, localDate } from '@teaching/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { OneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { type PreparedRequest, requestAboutChild, requestTo } from './contract-requests.ts';
import { enumValues, isChoice, isFilter, list, type Listed, valuesOf } from './list-probes.ts';
import { readyRequest } from './scene/ready-request.ts';
import { createScene, PERSON, type Scene } from './scene/scene.ts';

let fixture: Fixture;
let scene: Scene;
let our: OneOfEach;
/** The rows that are read: reads and refusals add later ones to the audit log. */
let made: string;
beforeAll(async () => {
  fixture = await startFixture();
  scene = await createScene(fixture);
  our = scene.our;
  await createFurtherRows(scene);
  await createSecondRows(scene);
  made = new Date().toISOString();
});
afterAll(() => fixture?.stop());

/** Second rows, which lists can sort. */
const createSecondRows = async ({ boss, lee, ann, name, our }: Scene): Promise<void> => {
  await lee.ok(packageCalls.createPackage, { body: { title: 'second' } });
  await boss.ok(courseCategoryCalls.createCourseCategory, { body: { name: name('second') } });
  await boss.ok(courseGroupCalls.createCourseGroup, { body: { name: name('second'), org_visible: true } });
  const day = (days: number): string => addDays(localDate(new Date(), 'UTC'), days);
  const jihua = await boss.ok(jihuaCalls.createJihua, {
    body: { title: 'second', starts_on: day(-2), ends_on: day(1), zone: 'UTC', student_ids: [PERSON.STUDENT] },
  });
  await ann.ok(dakaCalls.putDaka, { body: { jihua_id: jihua.id, local_date: day(-1) } });
  await boss.ok(hourCalls.grantHours, { body: { student_id: 'bob', hours: 1, package_id: our.package } });
  await lee.refused(policyCalls.putPolicy, { body: {} });
  // Gateways publish refusals a moment later.
  const isStored = async () => expect((await boss.ok(refusalCalls.listRefusals)).items.length).toBeGreaterThan(1);
  await vi.waitFor(isStored, 10_000);
};

/** Rows that other filters need: with an owner, a capacity, a room, and an attempt that waits for its teacher. */
const createFurtherRows = async ({ boss, lee, clazz, hour, name }: Scene): Promise<void> => {
  await lee.ok(packageCalls.createPackage, { body: { title: 'of a teacher' } });
  await readyRequest(scene, piyueCalls.claimSubmission, 'TEACHER');
  const room = await boss.ok(roomCalls.createRoom, { body: { name: name('room'), capacity: 5 } });
  const path = { id: await clazz('active', { capacity: 3 }) };
  await boss.ok(enrolmentCalls.enrolStudents, { path, body: { student_ids: [PERSON.STUDENT] } });
  await boss.ok(lessonCalls.createLesson, { path, body: { ...hour(), room: room.name } });
  const past = { starts_at: '2020-01-01T10:00:00Z', ends_at: '2020-01-01T11:00:00Z' };
  await boss.ok(lessonCalls.createLesson, {
    path,
    body: { ...past, room: room.name, teacher_id: PERSON.SUPERVISOR },
  });
};

const WRONG_TOKEN = 'x-consistency-token is not a token of this organization';
const Page = z.looseObject({ items: z.array(z.unknown()), next_cursor: z.string().nullable() });
const lists = allCalls.filter((call) => call.http !== null && 'cursor' in call.query.shape);

const pageOf = async (api: Api, call: AnyCall, limit: string, cursor?: string) => {
  const { path, query } = requestTo(call, our);
  return Page.parse(await api.ok(call, { path, query: { ...query, limit, cursor } }));
};
const pathsOf = ({ errors = [] }: { errors?: { path: string }[] | undefined }): string[] =>
  errors.map(({ path }) => path).toSorted();
const textOf = (row: unknown): string => JSON.stringify(row);

it.each([
  ['the supervisor', 'supervisor-1'],
  ['the student', 'ann'],
])('every list of %s returns each item once over its pages', async (_who, sub) => {
  const api = fixture.as({ role: [...ROLES], sub });
  const long: string[] = [];
  for (const call of lists) {
    const all = (await pageOf(api, call, '100')).items.map(textOf);
    const seen: string[] = [];
    for await (const rows of pagesOf((cursor) => pageOf(api, call, '1', cursor))) {
      expect(rows.length, call.id).toBeLessThanOrEqual(1);
      seen.push(...rows.map(textOf));
    }
    // Reading a class adds entries to the front of its audit log: older entries are found once and in order.
    expect(
      seen.filter((row) => all.includes(row)),
      call.id,
    ).toEqual(all);
    expect(new Set(seen).size, call.id).toBe(seen.length);
    if (all.length > 1) long.push(call.id);
  }
  expect(long.length).toBeGreaterThan(5);
});

it('no list accepts a changed cursor or the cursor of another organization or list', async () => {
  const [api, stranger] = [
    fixture.as({ role: [...ROLES] }),
    fixture.as({ role: [...ROLES], sub: 'supervisor-1', org: randomUUID() }),
  ];
  const cursors: [AnyCall, string][] = [];
  for (const call of lists) {
    const { next_cursor } = await pageOf(api, call, '1');
    if (next_cursor !== null) cursors.push([call, next_cursor]);
  }
  expect(cursors.length).toBeGreaterThan(5);
  for (const [call, cursor] of cursors) {
    const { path, query } = requestTo(call, our);
    const [, foreign] = cursors.find(([other]) => other !== call) ?? [];
    const refused = (by: Api, wrong: string | undefined) =>
      by.refused(call, { path, query: { ...query, limit: '1', cursor: wrong } });
    for (const problem of [
      await refused(api, `${cursor}A`),
      await refused(api, cursor.slice(0, -1)),
      await refused(api, foreign),
    ]) {
      expect(problem, call.id).toMatchObject({ code: 'invalid_request', errors: [{ path: '/query/cursor' }] });
    }
    expect(['invalid_request', 'not_found'], call.id).toContain((await refused(stranger, cursor)).code);
    const pathsBeside = async (by: Api, one: string | undefined): Promise<string[]> =>
      pathsOf(
        await by.refused(call, {
          path,
          query: { ...query, limit: '0', cursor: one },
        }),
      );
    // A list is not asked about its own cursor in an invalid request: the cursor is not wrong.
    expect(await pathsBeside(api, cursor), call.id).toEqual(['/query/limit']);
    expect(await pathsBeside(api, foreign), call.id).toEqual(['/query/cursor', '/query/limit']);
    expect(await pathsBeside(stranger, cursor), call.id).toEqual(['/query/cursor', '/query/limit']);
  }
});

it('every list names a forged cursor, a wrong limit and an unknown parameter in one answer', async () => {
  const api = fixture.as({ role: [...ROLES] });
  for (const call of lists) {
    const { path, query } = requestTo(call, our);
    for (const cursor of [
      'forged',
      'a'.repeat(40),
      Buffer.from(`${'x'.repeat(12)}["a","b","c"]`).toString('base64url'),
    ]) {
      const problem = await api.refused(call, { path, query: { ...query, limit: '0', cursor, unknown: 'x' } });
      expect(problem, call.id).toMatchObject({ status: 400, detail: '3 problems in the request' });
      expect(pathsOf(problem), call.id).toEqual(['/query/cursor', '/query/limit', '/query/unknown']);
    }
  }
});

it.each<[string, AnyCall, Record<string, string>, string[]]>([
  [
    'an empty range of free rooms',
    roomCalls.listFreeRooms,
    { from: '2030-01-02T00:00:00Z', to: '2030-01-01T00:00:00Z', min_capacity: 'x' },
    ['/query/cursor', '/query/min_capacity', '/query/to'],
  ],
  [
    'a range of statistics that is too long',
    statsCalls.explainFigure,
    { figure: 'none', from: '1970-01-01', to: '2999-01-01', student_id: 'a', teacher_id: 'b' },
    ['/query/cursor', '/query/figure', '/query/teacher_id', '/query/to'],
  ],
  [
    'a figure of another subject',
    statsCalls.explainFigure,
    { figure: 'leave_handled', clazz_id: randomUUID() },
    ['/query/cursor', '/query/figure'],
  ],
  [
    'a byte-order mark for JSON',
    auditCalls.listAuditEntries,
    { bom: 'true', entity: 'none' },
    ['/query/bom', '/query/cursor', '/query/entity'],
  ],
])('%s is named beside a forged cursor', async (_what, call, query, paths) => {
  const api = fixture.as({ role: 'SUPERVISOR' });
  expect(pathsOf(await api.refused(call, { query: { ...query, cursor: 'forged' } }))).toEqual(paths);
});

it('every read that takes a consistency token names a forged one beside other problems', async () => {
  const api = fixture.as({ role: [...ROLES] });
  const calls = allCalls.filter(takesWriteToken);
  expect(calls.length).toBeGreaterThan(4);
  for (const call of calls) {
    const { path, query } = requestTo(call, our);
    const token = { 'x-consistency-token': 'forged', 'idempotency-key': 'k'.repeat(256) };
    const problem = await api.refused(call, { path, query: { ...query, unknown: 'x' } }, token);
    expect(problem, call.id).toMatchObject({
      detail: `Idempotency-Key must have 1 to 255 characters. ${WRONG_TOKEN}. 1 problem in the request`,
      errors: [{ path: '/query/unknown' }],
    });
    const alone = await api.refused(call, { path, query }, { 'x-consistency-token': 'forged' });
    expect([alone.detail, alone.errors], call.id).toEqual([WRONG_TOKEN, []]);
  }
});

/** Parameters that other tests are about, or whose effect a generated request cannot show, with the reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  limit: 'tested above',
  cursor: 'tested above',
  sort: 'tested below',
  zone: 'moves the ends of the days',
  figure: 'required: each figure is another list',
};
/** Reads of one record have no filters: their parameters with ids choose the person. */
const reads = allCalls.filter(({ http, roles }) => http?.method === 'GET' && roles !== 'anyone');
const parametersOf = (call: AnyCall): string[] =>
  Object.keys(call.query.shape).filter(
    (name) => !(name in OTHERWISE) && (lists.includes(call) || name.endsWith('_id')),
  );

/** Whose rows staff read, where the default is the caller. */
const SUBJECTS: Readonly<Record<string, object>> = {
  'clazz.relation.my_students': { teacher_id: PERSON.TEACHER },
  'clazz.relation.my_teachers': { student_id: PERSON.STUDENT },
};

/** The request of a role without optional parameters. Guardians name their child where they have to. */
const requestOf = (call: AnyCall, role: Role) => {
  const request = requestTo(call, our);
  const about =
    role === 'GUARDIAN' && call.child === 'named' ? requestAboutChild(call, request, PERSON.STUDENT) : request;
  const until = /^clazz\.(audit|refusal)\./.test(call.id) ? { to: made } : {};
  const subject = role === 'SUPERVISOR' || role === 'TEACHER' ? SUBJECTS[call.id] : {};
  return { ...about, query: { ...until, ...subject, ...about.query } };
};

/** Whether the role may be refused the record or the person that a parameter names. `bom` is refused with JSON. */
const isRefusable = (name: string): boolean => name.endsWith('_id') || name === 'bom';

/** The faults of a parameter: it has no effect for the caller, or a filter does not accept two values. */
const problemsOf = async (api: Api, call: AnyCall, name: string, request: PreparedRequest, plain: Listed) => {
  const find = (value: string) => list(api, call, request, { ...request.query, [name]: value });
  const values = valuesOf(call, name, our, plain);
  const found = await Promise.all(values.map(async (value) => ({ value, answer: await find(value) })));
  const hasEffect = found.some(({ answer }) =>
    answer.code === 'done' ? answer.rows.join() !== plain.rows.join() : isRefusable(name),
  );
  if (!hasEffect) return [`${call.id} ${name} has no effect`];
  if (!isFilter(call, name)) return [];
  const [one, other] = found.toSorted((x, y) => y.answer.ids.length - x.answer.ids.length);
  if (one === undefined || other === undefined) throw new Error(`${call.id} ${name} needs two values`);
  // The value with fewer rows first: a filter that reads only one value then misses rows.
  const several = await find(`${other.value},${one.value}`);
  const parts = [one.answer, other.answer];
  const isRight = parts.every(({ code }) => code === 'done')
    ? several.code === 'done' && unionOf([several]) === unionOf(parts)
    : several.code !== 'done';
  return isRight ? [] : [`${call.id} ${name}=${one.value},${other.value}: ${several.code}`];
};
const unionOf = (answers: readonly Listed[]): string =>
  [...new Set(answers.flatMap(({ ids }) => ids))].toSorted().join();

it.each(ALL_ROLES)(
  'every parameter of a read has an effect for a %s or is refused, and every filter accepts several values',
  async (role) => {
    const api = scene.as(role);
    const wrong: string[] = [];
    for (const call of reads.filter(({ roles }) => roles.includes(role))) {
      const request = requestOf(call, role);
      const plain = await list(api, call, request, request.query);
      const problems = parametersOf(call).map((name) => problemsOf(api, call, name, request, plain));
      wrong.push(...(await Promise.all(problems)).flat());
    }
    expect(wrong).toEqual([]);
  },
);

/** Whether a list has different orders for a role. A list of one row has one order. */
const isSorted = async (call: AnyCall, role: Role): Promise<boolean> => {
  const request = requestOf(call, role);
  const answers = (enumValues(call, 'sort') ?? []).map((sort) =>
    list(scene.as(role), call, request, { ...request.query, sort }),
  );
  const found = await Promise.all(answers);
  return found.every(({ code }) => code === 'done') && new Set(found.map(({ ids }) => ids.join())).size > 1;
};

it('every list with a sort key has several orders for some role', async () => {
  const unsorted: string[] = [];
  for (const call of lists.filter(({ query }) => 'sort' in query.shape)) {
    let isFound = false;
    for (const role of ALL_ROLES) isFound ||= call.roles.includes(role) && (await isSorted(call, role));
    if (!isFound) unsorted.push(call.id);
  }
  expect(unsorted).toEqual([]);
});

/** Parameters of lists that choose by value, but not several values, with the reason. */
const OF_ONE_VALUE: Readonly<Record<string, string>> = {
  'stats.explain.list figure': 'a figure is of one subject',
  'stats.explain.list student_id': 'a figure is of one subject',
  'stats.explain.list teacher_id': 'a figure is of one subject',
  'stats.explain.list clazz_id': 'a figure is of one subject',
  'clazz.lesson.my student_id': 'chooses the child of a guardian',
  'clazz.leave.make_up_options student_id': 'chooses the child of a guardian',
};
it('every parameter of a list that chooses by value is such a filter', () => {
  const single = lists.flatMap((call) =>
    Object.keys(call.query.shape)
      .filter((name) => isChoice(call, name) && !isFilter(call, name))
      .map((name) => `${call.id} ${name}`),
  );
  expect(single.toSorted()).toEqual(Object.keys(OF_ONE_VALUE).toSorted());
});
