import { randomUUID } from 'node:crypto';
import {
  ALL_ROLES,
  type AnyCall,
  allCalls,
  clazzCalls,
  enrolmentCalls,
  hourCalls,
  memberCalls,
  type Role,
  rollCallCalls,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { retryWhileBusy } from '../../../tools/proofs/test/expect-answers.ts';
import { contentsAtRest } from '../../../tools/proofs/test/contents-at-rest.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { clazzWith, lessonAt, marking } from '../../../tools/proofs/test/clazz.ts';
import { allContents, type Contents, fingerprintOf, missingRows } from '../../../tools/proofs/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { revealsFamilyRecord } from './leak-check.ts';
import type { HeaderValues } from '../../../tools/proofs/test/http.ts';
import {
  hoursIn,
  HOURS_SHOWN,
  type HoursShown,
  membersOf,
  NOT_OF_ACCOUNTS,
  READERS,
  type StudentWithHours,
} from './visible-hours.ts';
import { readyRequest } from './scene/ready-request.ts';
import { PERSON, type Scene, createScene } from './scene/scene.ts';
import { type PreparedRequest, namesRecord, parametersOf, requestTo } from './contract-requests.ts';

const closed = allCalls.filter(({ http, roles }) => http !== null && roles !== 'anyone');
const mayCall = ({ roles: allowed }: AnyCall, roles: readonly string[]): boolean =>
  Array.isArray(allowed) && roles.some((role) => allowed.includes(role));

let fixture: Fixture;
let scene: Scene;
beforeAll(async () => {
  fixture = await startFixture();
  scene = await createScene(fixture);
});
afterAll(() => fixture?.stop());

const but = (names: RegExp, contents: Contents): Contents =>
  Object.fromEntries(Object.entries(contents).filter(([name]) => !names.test(name)));
const look = (): Promise<Contents> => allContents(fixture);
/** The result: `done`, the code of the refusal, or `done` with a status that differs from the contract. */
const codeOf = async (
  api: Api,
  call: AnyCall,
  request: PreparedRequest,
  headers: HeaderValues = {},
): Promise<string> => {
  const { code, status } = await retryWhileBusy(() => api.outcome(call, request, headers));
  return code === 'done' && status !== call.status && status !== call.status_if_exists ? `done ${status}` : code;
};
/** The calls with an unexpected result, all sent at once. */
const unexpected = async (
  calls: readonly AnyCall[],
  ask: (call: AnyCall) => Promise<string>,
  isExpected: (call: AnyCall, code: string) => boolean,
): Promise<string[]> => {
  const codes = await Promise.all(calls.map(async (call) => ({ call, code: await ask(call) })));
  return codes.filter(({ call, code }) => !isExpected(call, code)).map(({ call, code }) => `${call.id}: ${code}`);
};

/** Callers refused by role, for every request: with real records of their own organization. */
describe('Every route refuses, without any change of data,', () => {
  let before: Contents;
  beforeAll(async () => {
    before = await contentsAtRest(fixture, look);
  });
  const refused = async (api: Api, calls: readonly AnyCall[], code: string): Promise<void> => {
    const ask = (call: AnyCall) => codeOf(api, call, requestTo(call, scene.our));
    expect(await unexpected(calls, ask, (_call, came) => came === code)).toEqual([]);
    expect(await look()).toEqual(before);
  };

  it('a request without a token with 401', () => refused(fixture.raw(), closed, 'unauthenticated'));

  it.each([
    ...ALL_ROLES.map((role): [string, readonly string[]] => [`a ${role}`, [role]]),
    ['a STUDENT who is also a GUARDIAN', ['STUDENT', 'GUARDIAN']],
    ['a TEACHER who is also a STUDENT', ['STUDENT', 'TEACHER']],
    ['a caller with unknown roles', ['JANITOR', 'supervisor', 'SUPERVISOR ', '*']],
    ['a STUDENT who also has unknown roles', ['JANITOR', 'STUDENT']],
    ['a caller without a role', []],
  ])('%s with 403 when the contract lists none of their roles', async (_who, roles) => {
    const calls = closed.filter((call) => !mayCall(call, roles));
    expect(calls).not.toEqual([]);
    // The token of the owner of all records, but with other roles.
    await refused(fixture.as({ role: roles as Role[], sub: PERSON.SUPERVISOR }), calls, 'forbidden');
  });
});

/** Each of these tests calls most of the API. */
const LONG = { timeout: 120_000 };
/** Tables that change with every read or write, or by themselves. */
const MOVING = /\.(log_\w+|follower_position|duty)$|^clazz\.(audit_\w+|clazz_audit_log)$|^course\.member$|^stats\./;

/** Callers with the role who own or attend the named records: the contract gives the status. */
describe('Every route returns the status of its contract for', () => {
  const failed = async (calls: readonly AnyCall[], role: Role, api = scene.as(role)): Promise<string[]> => {
    const wrong: string[] = [];
    for (const call of calls) {
      const code = await codeOf(api, call, await readyRequest(scene, call, role));
      if (code !== 'done') wrong.push(`${call.id}: ${code}; what it needs is made in services/gateway/test/ready`);
    }
    return wrong;
  };
  /** The first role that the contract lists. */
  const firstOf = (call: AnyCall): Role => ALL_ROLES.find((role) => mayCall(call, [role])) ?? 'SUPERVISOR';
  const others = (role: Role): Role[] => ALL_ROLES.filter((other) => other !== role);

  it('each role that reads, and changes nothing except the audit log', LONG, async () => {
    const reads = (role: Role, audited: boolean) =>
      closed.filter((call) => mayCall(call, [role]) && !call.writes && call.audited === audited);
    const before = await contentsAtRest(fixture, look);
    for (const role of ALL_ROLES) expect(await failed(reads(role, false), role), role).toEqual([]);
    expect(await look()).toEqual(before);
    for (const role of ALL_ROLES) expect(await failed(reads(role, true), role), role).toEqual([]);
    expect(but(MOVING, await look())).toEqual(but(MOVING, before));
  });

  it.each(ALL_ROLES)('a %s that writes', LONG, async (role) => {
    expect(
      await failed(
        closed.filter((call) => call.writes && mayCall(call, [role])),
        role,
      ),
    ).toEqual([]);
  });

  it('a caller with several roles that writes, and stores each accepted write', LONG, async () => {
    const idle: string[] = [];
    for (const call of closed.filter(({ writes }) => writes)) {
      const role = firstOf(call);
      const request = await readyRequest(scene, call, role);
      const stored = () => fingerprintOf(fixture, call.service, MOVING);
      const before = await stored();
      // A client that sends no version compares none.
      const headers: HeaderValues = call.errors.includes('version_mismatch') ? {} : { 'if-match': '"999999"' };
      const all = fixture.as({ role: [...others(role), role], sub: PERSON[role] });
      const code = await codeOf(all, call, request, headers).catch(String);
      if (code !== 'done' || before === (await stored())) idle.push(`${call.id}: ${code}`);
    }
    expect(idle).toEqual([]);
  });
});

/** Teachers may take over these records and mark for each other. */
const SHARED = /^(package\.package|course\.(course|lianxi))\.copy$|^course\.(piyue\.(claim|mark|release)|daka\.put)$/;

/** Callers with the role who do not own, teach or attend the named records. Other families: `guardians.int.test.ts`. */
describe('A record of other people', () => {
  it.each([
    ['TEACHER', 'tom'],
    ['STUDENT', 'bob'],
  ] as const)('cannot be changed by a %s, nor seen by other families', async (role, sub) => {
    const api = fixture.as({ role, sub });
    const calls = closed.filter((call) => mayCall(call, [role]) && !(role === 'TEACHER' && SHARED.test(call.id)));
    const before = await allContents(fixture);
    const wrong: string[] = [];
    const shown: string[] = [];
    for (const call of calls) {
      const outcome = await retryWhileBusy(() => api.outcome(call, requestTo(call, scene.our)));
      const isKept = role === 'STUDENT' ? call.child === 'any' : call.writes && namesRecord(call);
      const may = isKept ? ['forbidden', 'not_found'] : ['done', 'forbidden', 'not_found'];
      if (!may.includes(outcome.code)) wrong.push(`${call.id}: ${outcome.code}`);
      const said = outcome.code === 'done' ? outcome.body : outcome.problem;
      if (role === 'STUDENT' && call.child !== null && revealsFamilyRecord(scene.our, said ?? '')) shown.push(call.id);
    }
    expect(wrong).toEqual([]);
    expect(shown).toEqual([]);
    expect(missingRows(but(MOVING, before), await allContents(fixture))).toEqual([]);
  });
});

describe('The hours of a student', () => {
  const org = randomUUID();
  const as = (sub: string, role: readonly Role[]) => fixture.as({ sub, org, role: [...role] });
  const boss = () => as('boss', ['SUPERVISOR']);
  let kid: StudentWithHours;

  const linkGuardians = async (): Promise<void> => {
    const member = (user_id: string, role: Role) => ({ user_id, role, display_name: user_id });
    const people = [member('kid', 'STUDENT'), member('sib', 'STUDENT'), member('mum', 'GUARDIAN')];
    await boss().ok(memberCalls.putMembers, { body: { members: [...people, member('dad', 'GUARDIAN')] } });
    for (const [child, parent] of [
      ['kid', 'mum'],
      ['sib', 'dad'],
    ] as const) {
      const body = { guardians: [{ user_id: parent, money: false }] };
      await boss().ok(memberCalls.putGuardians, { path: { user_id: child }, body });
    }
  };
  beforeAll(async () => {
    await linkGuardians();
    const clazz_id = await clazzWith(boss(), ['kid'], { lead_teacher_id: 'fay' });
    const path = { id: clazz_id };
    for (const teacher_ids of [['fred'], ['tim']])
      await boss().ok(clazzCalls.putClazzAssistants, { path, body: { teacher_ids } });
    await boss().ok(clazzCalls.updateClazz, { path, body: { lead_teacher_id: 'lee' } });
    const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
    const lesson = await lessonAt(boss(), clazz_id, at(-3));
    await lessonAt(boss(), clazz_id, at(-6), { teacher_id: 'sue' });
    await clazzWith(boss(), ['kid'], { lead_teacher_id: 'oda' });
    await clazzWith(boss(), ['sib'], { lead_teacher_id: 'una' });
    const left = await clazzWith(boss(), ['kid'], { lead_teacher_id: 'pam' });
    await boss().ok(enrolmentCalls.withdrawEnrolment, { path: { id: left, student_id: 'kid' } });
    for (const student_id of ['kid', 'sib']) await boss().ok(hourCalls.grantHours, { body: { student_id, hours: 10 } });
    await boss().ok(rollCallCalls.submitRollCall, marking(lesson.id, { kid: 'present' }));
    kid = { student_id: 'kid', clazz_id, lesson_id: lesson.id };
    await waitUntilCaughtUp(fixture);
  });

  const outcomeOf = async (api: Api, { call, request, members }: HoursShown): Promise<string> => {
    const { path = {}, query = {} } = request(kid);
    const outcome = await retryWhileBusy(() => api.outcome(call, { path, query }));
    if (outcome.code === 'done') return hoursIn(outcome.body, members, kid.student_id);
    return ['forbidden', 'not_found'].includes(outcome.code) ? 'hidden' : outcome.code;
  };

  it.each(READERS)('are shown to %s by all calls or by none', async (_relation, sub, roles, seesHours) => {
    const forAll = HOURS_SHOWN.filter((one) => roles.every((role) => (one.roles ?? one.call.roles).includes(role)));
    const outcomes = await Promise.all(
      forAll.map(async (one): Promise<[string, string]> => [
        `${one.call.id} ${one.about ?? ''}`.trim(),
        await outcomeOf(as(sub, roles), one),
      ]),
    );
    const expected = seesHours ? 'shown' : 'hidden';
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(outcomes.map(([name]) => [name, expected])));
  });

  it('are tested above for every answer with a member that may be hours', () => {
    const isOpen = ({ roles }: AnyCall): boolean => Array.isArray(roles) && roles.some((role) => role !== 'SUPERVISOR');
    const known = new Set(
      HOURS_SHOWN.flatMap(({ call, members }) => (members ?? ['items[].counts']).map((one) => `${call.id} ${one}`)),
    );
    // Scores and points of the course service are also decimals.
    const found = closed
      .filter((call) => isOpen(call) && call.service !== 'course')
      .flatMap((call) => membersOf(call.output).map((member) => `${call.id} ${member}`));
    const isExcused = (one: string): boolean => NOT_OF_ACCOUNTS.some(([members]) => members.test(one));
    expect(found.filter((one) => !known.has(one) && !isExcused(one))).toEqual([]);
    expect([...known].filter((one) => !found.includes(one))).toEqual([]);
    expect(NOT_OF_ACCOUNTS.filter(([members]) => !found.some((one) => members.test(one) && !known.has(one)))).toEqual(
      [],
    );
  });
});

describe('An id without a record', () => {
  it('is answered with 404 on every read, or with an empty result about a person', async () => {
    const api = fixture.as({ role: [...ALL_ROLES], sub: PERSON.SUPERVISOR });
    const reads = closed.filter(({ http, path }) => http?.method === 'GET' && Object.keys(path.shape).length > 0);
    const nowhere = (call: AnyCall): PreparedRequest => {
      const { path, ...rest } = requestTo(call, scene.our);
      const ids = parametersOf(call).map((name) => [name, name === 'number' ? path[name] : randomUUID()]);
      return { ...rest, path: Object.fromEntries(ids) };
    };
    const ask = (call: AnyCall) => codeOf(api, call, nowhere(call));
    const isAccount = ({ id }: AnyCall): boolean => ['clazz.hour.account', 'clazz.hour.list_entries'].includes(id);
    expect(await unexpected(reads, ask, (call, code) => code === (isAccount(call) ? 'done' : 'not_found'))).toEqual([]);
  });

  it('never makes two routes match the same path', () => {
    const shapes = allCalls.flatMap(({ http }) =>
      http === null ? [] : [`${http.method} ${http.path.replaceAll(/\{\w+\}/g, '{}')}`],
    );
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });
});

it('every route is part of the OpenAPI document', async () => {
  const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
  const { paths } = Document.parse((await fixture.raw().get('//openapi.json')).body);
  const missing = allCalls.filter(
    ({ http }) => http !== null && paths[http.path]?.[http.method.toLowerCase()] === undefined,
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});
