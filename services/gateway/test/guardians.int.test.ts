import { randomUUID } from 'node:crypto';
import {
  type AnyCall,
  allCalls,
  courseCalls,
  courseSectionCalls,
  dakaCalls,
  hourCalls,
  jihuaCalls,
  leaveCalls,
  lianxiCalls,
  memberCalls,
  type Role,
  STAFF,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { isFilter } from './list-probes.ts';
import { revealsFamilyRecord } from './leak-check.ts';
import { requestAboutChild, type PreparedRequest, childParameter, requestTo } from './contract-requests.ts';

let fixture: Fixture;
let our: OneOfEach;
/** An organization whose people have the same ids as ours. */
const elsewhere = randomUUID();
const boss = (org?: string) => fixture.as({ role: 'SUPERVISOR', org });
const guardian = (sub: string, org?: string) => fixture.as({ role: 'GUARDIAN', sub, org });
/** The family that owns our records, and another family of the same school. */
const [MIA, ANN, ZOE, ZAC] = ['mia', 'ann', 'zoe', 'zac'];

const family = async (api: Api, guardian_id: string, student_id: string): Promise<void> => {
  const members = [
    { user_id: student_id, role: 'STUDENT', display_name: student_id } as const,
    { user_id: guardian_id, role: 'GUARDIAN', display_name: guardian_id } as const,
  ];
  await api.ok(memberCalls.putMembers, { body: { members } });
  const guardians = [{ user_id: guardian_id, money: true }];
  await api.ok(memberCalls.putGuardians, { path: { user_id: student_id }, body: { guardians } });
};

/** Records of the child of the other family: most kinds that a student may have. */
const theirs = async (): Promise<void> => {
  const zac = fixture.as({ role: 'STUDENT', sub: ZAC });
  const id = await clazzWith(boss(), [ZAC], { lead_teacher_id: 'tim' });
  const lesson = await lessonAt(boss(), id, '2091-05-01T10:00:00Z');
  await zac.ok(leaveCalls.requestLeave, { body: { lesson_id: lesson.id, reason: 'theirs' } });
  await boss().ok(hourCalls.grantHours, { body: { student_id: ZAC, hours: 3 } });
  const course = await boss().ok(courseCalls.createCourse, { body: { title: 'theirs' } });
  const path = { course_id: course.id };
  const section = await boss().ok(courseSectionCalls.createCourseSection, { path, body: { title: 'theirs' } });
  const practice = { title: 'theirs', course_section_id: section.id, content: { questions: [] }, student_ids: [ZAC] };
  await boss().ok(lianxiCalls.createLianxi, { body: practice });
  const today = new Date().toISOString().slice(0, 10);
  const days = { starts_on: today, ends_on: today, zone: 'UTC', backfill_days: 9 };
  const plan = await boss().ok(jihuaCalls.createJihua, { body: { title: 'theirs', ...days, student_ids: [ZAC] } });
  await zac.ok(dakaCalls.putDaka, { body: { jihua_id: plan.id } });
};

beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
  await family(boss(), ZOE, ZAC);
  await family(boss(elsewhere), MIA, ANN);
  await theirs();
  await waitUntilCaughtUp(fixture);
});
afterAll(() => fixture?.stop());

const routed = allCalls.filter(({ http, roles }) => http !== null && roles !== 'anyone');
const mayCall = ({ roles }: AnyCall): boolean => Array.isArray(roles) && roles.includes('GUARDIAN');
/** Order of calls: reads first, deletions last. */
const turn = ({ http }: AnyCall): number => (http?.method === 'GET' ? 0 : http?.method === 'DELETE' ? 2 : 1);
const aboutChildren = routed.filter(({ child }) => child !== null).toSorted((a, b) => turn(a) - turn(b));

/** The request of a caller with all of our ids: about this student, or without a student. */
const asking = (call: AnyCall, student_id?: string): PreparedRequest =>
  requestAboutChild(call, requestTo(call, our), student_id);

const outcomeOf = async (api: Api, call: AnyCall, request: PreparedRequest) => {
  const outcome = await api.outcome(call, request);
  return { code: outcome.code, status: outcome.status, said: outcome.code === 'done' ? outcome.body : outcome.problem };
};

const isOfOurs = (said: unknown): boolean => revealsFamilyRecord(our, said);

/** The results of calls that differ from the expected result. */
const unexpectedResults = async (
  calls: readonly AnyCall[],
  ask: (call: AnyCall) => Promise<Awaited<ReturnType<typeof outcomeOf>>>,
  isWell: (call: AnyCall, outcome: Awaited<ReturnType<typeof outcomeOf>>) => boolean,
): Promise<string[]> => {
  const wrong: string[] = [];
  for (const call of calls) {
    const outcome = await ask(call);
    if (!isWell(call, outcome)) wrong.push(`${call.id}: ${outcome.status} ${JSON.stringify(outcome.said)}`);
  }
  return wrong;
};

describe('Staff', () => {
  it('are refused a child to act for on every call that takes one, unless they are guardians of it', async () => {
    const choosing = aboutChildren.filter(
      (call) => call.child === 'any' && childParameter(call) !== 'path' && !isFilter(call, 'student_id'),
    );
    expect(choosing.length).toBeGreaterThan(8);
    const staff = choosing.filter(({ roles }) => STAFF.some((role) => roles.includes(role)));
    const refused = await unexpectedResults(
      staff,
      (call) => outcomeOf(fixture.as({ role: 'SUPERVISOR', sub: ANN }), call, asking(call, ANN)),
      (call, { code, said }) =>
        code === 'invalid_request' && JSON.stringify(said).includes(`/${childParameter(call)}/student_id`),
    );
    expect(refused).toEqual([]);
    // A teacher who chooses a child acts for the child only.
    const teacher = fixture.as({ role: ['TEACHER', 'GUARDIAN'], sub: ZOE });
    const hidden = await unexpectedResults(
      staff.filter(({ writes }) => !writes),
      (call) => outcomeOf(teacher, call, asking(call, ZAC)),
      (_call, { code, said }) => code === 'not_found' && !isOfOurs(said),
    );
    expect(hidden).toEqual([]);
  });
});

it('a missing student is named beside the other problems of a request', async () => {
  const needed = (call: AnyCall, role: Role): boolean =>
    call.roles.includes(role) && (role === 'GUARDIAN' ? call.child === 'named' : call.student_required);
  for (const [role, sub] of [
    ['GUARDIAN', MIA],
    ['SUPERVISOR', 'supervisor-1'],
  ] as const) {
    const calls = routed.filter((call) => needed(call, role) && childParameter(call) !== 'path');
    expect(calls.length, role).toBeGreaterThan(3);
    const wrong = await unexpectedResults(
      calls,
      (call) => {
        const request = asking(call);
        return outcomeOf(fixture.as({ role, sub }), call, { ...request, query: { ...request.query, unknown: 'x' } });
      },
      (call, { said }) =>
        [`"/${childParameter(call)}/student_id"`, '"/query/unknown"'].every((path) =>
          JSON.stringify(said).includes(path),
        ),
    );
    expect(wrong).toEqual([]);
  }
});

describe('A guardian', () => {
  it('may make these calls and no others', async () => {
    expect(aboutChildren.length).toBeGreaterThan(25);
    const closed = routed.filter((call) => !mayCall(call));
    const refused = await unexpectedResults(
      closed,
      (call) => outcomeOf(guardian(MIA), call, requestTo(call, our)),
      (_call, { code }) => code === 'forbidden',
    );
    expect(refused).toEqual([]);
    const open = routed.filter((call) => mayCall(call) && call.child === null);
    const unexpected = await unexpectedResults(
      open,
      (call) => outcomeOf(guardian(MIA), call, requestTo(call, our)),
      (_call, { code }) => code === 'done',
    );
    expect(unexpected).toEqual([]);
  });

  it('of another family gets 404 for our child on every call, and 400 without a child', async () => {
    const named = await unexpectedResults(
      aboutChildren,
      (call) => outcomeOf(guardian(ZOE), call, asking(call, ANN)),
      (_call, { code, said }) => code === 'not_found' && !isOfOurs(said),
    );
    expect(named).toEqual([]);
    const unnamed = await unexpectedResults(
      aboutChildren.filter((call) => childParameter(call) !== 'path'),
      (call) => outcomeOf(guardian(ZOE), call, asking(call)),
      (call, { code, said }) =>
        call.child === 'any'
          ? code === 'not_found'
          : code === 'invalid_request' && JSON.stringify(said).includes(`/${childParameter(call)}/student_id`),
    );
    expect(unnamed).toEqual([]);
  });

  it('of another family sees the records of their child and none of ours', async () => {
    const shown: string[] = [];
    const wrong = await unexpectedResults(
      aboutChildren,
      (call) => outcomeOf(guardian(ZOE), call, asking(call, ZAC)),
      (call, { code, said }) => {
        if (code === 'done' && JSON.stringify(said ?? '').includes(`"${ZAC}"`)) shown.push(call.id);
        // Calls that name our records answer 404; lists contain records of their own child.
        return (call.child === 'any' ? code === 'not_found' : ['done', 'not_found'].includes(code)) && !isOfOurs(said);
      },
    );
    expect(wrong).toEqual([]);
    expect(shown).toEqual(
      expect.arrayContaining([
        'clazz.leave.list',
        'clazz.hour.account',
        'clazz.hour.list_entries',
        'course.daka.list',
        'stats.my_lessons.get',
      ]),
    );
  });

  it('of another organization sees none of our records, even with the same ids of child and guardian', async () => {
    const wrong = await unexpectedResults(
      aboutChildren,
      (call) => outcomeOf(guardian(MIA, elsewhere), call, asking(call, ANN)),
      (call, { code, said }) => {
        const text = JSON.stringify(said ?? '').replaceAll(`"${ANN}"`, '');
        const isEmpty = !isOfOurs(text) && !text.includes(fixture.org);
        return (call.child === 'any' ? code === 'not_found' : ['done', 'not_found'].includes(code)) && isEmpty;
      },
    );
    expect(wrong).toEqual([]);
  });

  it('may do for their child what the child may, and is recorded as the actor', async () => {
    const named = await unexpectedResults(
      aboutChildren,
      (call) => outcomeOf(guardian(MIA), call, asking(call, ANN)),
      // A conflict with the state of a record shows that the record was found.
      (_call, { code, status }) => code === 'done' || status === 409,
    );
    expect(named).toEqual([]);
    const unnamed = await unexpectedResults(
      aboutChildren.filter(({ child, writes }) => child === 'any' && !writes),
      (call) => outcomeOf(guardian(MIA), call, asking(call)),
      (_call, { code }) => code === 'done',
    );
    expect(unnamed).toEqual([]);
    const { cancelled_by } = await boss().ok(leaveCalls.getLeave, { path: { id: our.leave } });
    expect(cancelled_by).toBe(MIA);
  });

  it('sees no record of the child in any service once the link is removed', async () => {
    const link = (...guardians: { user_id: string; money: boolean }[]) =>
      boss().ok(memberCalls.putGuardians, { path: { user_id: ANN }, body: { guardians } });
    const reads = aboutChildren.filter(({ writes }) => !writes);
    const asked = (isWell: (code: string) => boolean) =>
      unexpectedResults(
        reads,
        (call) => outcomeOf(guardian(MIA), call, asking(call, ANN)),
        (_call, { code }) => isWell(code),
      );
    await link();
    expect(await asked((code) => code === 'not_found')).toEqual([]);
    await link({ user_id: MIA, money: true });
    // A withdrawn leave has no credit.
    expect(await asked((code) => code !== 'not_found')).toEqual([]);
  });
});
