import { randomUUID } from 'node:crypto';
import {
  ALL_ROLES,
  courseCategoryCalls,
  enrolmentCalls,
  hourCalls,
  memberCalls,
  type Role,
  rollCallCalls,
  roomCalls,
} from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clazzWith, lessonAt, marking } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import type { RunningGateway } from '../src/main.ts';
import { startGateway } from './gateway.ts';
import { listen, type Listener } from './listener.ts';

let fixture: Fixture;
let second: RunningGateway;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
  second = await startGateway(fixture, { JWT_LEEWAY_SECONDS: '0' });
});
afterAll(async () => {
  await second?.stop();
  await fixture?.stop();
});

const opened: Listener[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
interface Who {
  org?: string;
  address?: string;
  headers?: Record<string, string>;
  ttlSeconds?: number;
}
const open = async (role: Role | Role[], sub: string, who: Who = {}): Promise<Listener> => {
  const { address = fixture.address, headers, ...person } = who;
  const one = await listen(address, fixture.token({ role, sub, ...person }), headers);
  opened.push(one);
  return one;
};
/** A separate organization for one test, so that no other changes arrive. */
const school = () => {
  const org = randomUUID();
  return { org, boss: fixture.as({ role: 'SUPERVISOR', org }) };
};
/** Resolves when all earlier changes in the organization are received: a change is published shortly after its call. */
const allReceived = async ({ org, boss }: { org: string; boss: Api }): Promise<void> => {
  const witness = await open('SUPERVISOR', 'witness', { org });
  const { id } = await boss.ok(roomCalls.createRoom, { body: { name: randomUUID() } });
  await expect.poll(() => JSON.stringify(witness.received), POLL_OPTIONS).toContain(id);
  witness.close();
};
const kindsOf = ({ received }: Listener): string[] => received.map((one) => (one === 'reset' ? one : one.kind));
/** A change that all staff receive. No earlier change arrives after it. */
const mark = async (boss: Api): Promise<string> =>
  (await boss.ok(courseCategoryCalls.createCourseCategory, { body: { name: randomUUID() } })).id;
const FUTURE = '2091-05-01T10:00:00Z';
const PAST = '2025-05-01T10:00:00Z';

describe('An open page receives', () => {
  it('changes that other people make, at each gateway', async () => {
    const { org, boss } = school();
    const pages = [await open('SUPERVISOR', 'ada', { org }), await open('TEACHER', 'tom', { org, ...at(second) })];
    const id = await clazzWith(boss, []);
    for (const page of pages) await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['clazz', 'clazz']);
    expect(pages[0]?.received[0]).toEqual({ kind: 'clazz', ids: [id], clazz_id: id, user_ids: ['teacher-1'] });
    expect(pages[0]?.headers.get('content-type')).toBe('text/event-stream');
    expect(pages[0]?.headers.get('cache-control')).toBe('no-store');
    expect(pages[0]?.headers.get('content-encoding')).toBeNull();
  });
  const at = ({ address }: RunningGateway) => ({ address });

  it('no change of another organization', async () => {
    const [ours, theirs] = [school(), school()];
    const page = await open('SUPERVISOR', 'ada', { org: theirs.org });
    const other = await open('SUPERVISOR', 'ada', { org: ours.org });
    const id = await mark(ours.boss);
    await expect.poll(() => kindsOf(other), POLL_OPTIONS).toEqual(['category']);
    const own = await mark(theirs.boss);
    await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['category']);
    expect([page.received, other.received].map((told) => told.map((one) => one !== 'reset' && one.ids))).toEqual([
      [[own]],
      [[id]],
    ]);
  });

  it('as a student, changes of their class and themselves, without ids of other people', async () => {
    const { org, boss } = school();
    const own = await clazzWith(boss, ['ann', 'bob']);
    const other = await clazzWith(boss, ['bob'], { lead_teacher_id: 'teacher-2' });
    await allReceived({ org, boss });
    const page = await open('STUDENT', 'ann', { org });
    const hidden = await lessonAt(boss, other, PAST);
    await boss.ok(rollCallCalls.submitRollCall, marking(hidden.id, { bob: 'present' }, { reason: 'late' }));
    await boss.ok(roomCalls.createRoom, { body: { name: 'Hall' } });
    const lesson = await lessonAt(boss, own, '2025-05-02T10:00:00Z');
    await boss.ok(
      rollCallCalls.submitRollCall,
      marking(lesson.id, { ann: 'present', bob: 'absent' }, { reason: 'late' }),
    );
    await expect
      .poll(() => kindsOf(page), POLL_OPTIONS)
      .toEqual(expect.arrayContaining(['lesson', 'roll_call', 'account']));
    await lessonAt(boss, other, FUTURE);
    const last = await lessonAt(boss, own, '2091-05-02T10:00:00Z');
    await expect.poll(() => JSON.stringify(page.received), POLL_OPTIONS).toContain(last.id);
    expect(page.received).toContainEqual({ kind: 'roll_call', ids: [lesson.id], clazz_id: own, user_ids: ['ann'] });
    expect(JSON.stringify(page.received)).not.toMatch(new RegExp(`${other}|${hidden.id}|bob|teacher|room`));
  });

  it('as a guardian, changes of the child', async () => {
    const { org, boss } = school();
    const members = [
      { user_id: 'mia', role: 'GUARDIAN' as const, display_name: 'Mia' },
      { user_id: 'kid', role: 'STUDENT' as const, display_name: 'Kid' },
      { user_id: 'zac', role: 'STUDENT' as const, display_name: 'Zac' },
    ];
    await boss.ok(memberCalls.putMembers, { body: { members } });
    const guardians = [{ user_id: 'mia', money: true }];
    await boss.ok(memberCalls.putGuardians, { path: { user_id: 'kid' }, body: { guardians } });
    const own = await clazzWith(boss, ['kid', 'zac']);
    const other = await clazzWith(boss, ['zac'], { lead_teacher_id: 'teacher-2' });
    await allReceived({ org, boss });
    const [page, stranger] = [await open('GUARDIAN', 'mia', { org }), await open('GUARDIAN', 'max', { org })];
    await lessonAt(boss, other, FUTURE);
    for (const student_id of ['zac', 'kid']) await boss.ok(hourCalls.grantHours, { body: { student_id, hours: 3 } });
    const lesson = await lessonAt(boss, own, '2091-05-02T10:00:00Z');
    await expect
      .poll(() => page.received, POLL_OPTIONS)
      .toEqual([
        { kind: 'account', ids: [], clazz_id: null, user_ids: ['kid'] },
        { kind: 'lesson', ids: [lesson.id], clazz_id: own, user_ids: [] },
      ]);
    expect(stranger.received).toEqual([]);
  });

  it('as a teacher, changes of hours only of their students', async () => {
    const { org, boss } = school();
    await clazzWith(boss, ['ann'], { lead_teacher_id: 'tom' });
    await clazzWith(boss, ['bob'], { lead_teacher_id: 'tim' });
    await allReceived({ org, boss });
    const page = await open('TEACHER', 'tom', { org });
    for (const student_id of ['bob', 'ann']) await boss.ok(hourCalls.grantHours, { body: { student_id, hours: 3 } });
    await mark(boss);
    await expect.poll(() => kindsOf(page).toSorted(), POLL_OPTIONS).toEqual(['account', 'category']);
    expect(page.received).toContainEqual({ kind: 'account', ids: [], clazz_id: null, user_ids: ['ann'] });
  });

  it('changes of a class only while the person belongs to it', async () => {
    const { org, boss } = school();
    const id = await clazzWith(boss, []);
    await allReceived({ org, boss });
    const page = await open('STUDENT', 'ann', { org });
    await lessonAt(boss, id, FUTURE);
    await boss.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids: ['ann'] } });
    await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['enrolment']);
    await lessonAt(boss, id, '2091-05-02T10:00:00Z');
    await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['enrolment', 'lesson']);
    await boss.ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'ann' }, body: { reason: 'left' } });
    await lessonAt(boss, id, '2091-05-03T10:00:00Z');
    await boss.ok(hourCalls.grantHours, { body: { student_id: 'ann', hours: 3 } });
    await expect.poll(() => kindsOf(page).at(-1), POLL_OPTIONS).toBe('account');
    expect(kindsOf(page).slice(2)).not.toContain('lesson');
  });
});

describe('A page that reconnects', () => {
  const back = (id: string | undefined) => ({ headers: { 'last-event-id': id ?? '' } });

  it('receives the missed changes that the person may read', async () => {
    const { org, boss } = school();
    const id = await clazzWith(boss, ['ann']);
    await allReceived({ org, boss });
    const page = await open('STUDENT', 'ann', { org });
    await lessonAt(boss, id, FUTURE);
    await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['lesson']);
    page.close();
    const witness = await open('SUPERVISOR', 'ada', { org });
    await mark(boss);
    const missed = await lessonAt(boss, id, '2091-05-02T10:00:00Z');
    await expect.poll(() => kindsOf(witness), POLL_OPTIONS).toContain('lesson');
    const again = await open('STUDENT', 'ann', { org, ...back(page.id()) });
    await expect.poll(() => again.received, POLL_OPTIONS).toMatchObject([{ kind: 'lesson', ids: [missed.id] }]);
  });

  it('receives `reset` when the missed changes are unknown', async () => {
    const { org, boss } = school();
    const page = await open('SUPERVISOR', 'ada', { org, address: second.address });
    await expect.poll(page.id, POLL_OPTIONS).toBeDefined();
    for (const id of [page.id(), 'x', '']) {
      const again = await open('SUPERVISOR', 'ada', { org, ...back(id) });
      await expect.poll(() => again.received, POLL_OPTIONS).toEqual(['reset']);
    }
    const anew = await open('SUPERVISOR', 'ada', { org });
    await mark(boss);
    await expect.poll(() => kindsOf(anew), POLL_OPTIONS).toEqual(['category']);
  });
});

describe('A page is accepted', () => {
  it('with any role, and refused without a role', async () => {
    for (const role of ALL_ROLES) expect((await open(role, 'eve')).status, role).toBe(200);
    const none = await open([], 'eve');
    expect([none.status, none.body]).toEqual([403, expect.stringContaining('"forbidden"')]);
    const anonymous = await fetch(`${fixture.address}/api/v1/changes`);
    expect(anonymous.status).toBe(401);
    await anonymous.text();
  });

  it('only by GET without parameters', async () => {
    const api = fixture.as({ role: 'TEACHER' });
    expect((await api.send('POST', '/changes', undefined)).status).toBe(405);
    expect(await api.send('GET', '/changes?kind=lesson', undefined)).toMatchObject({ status: 400 });
    const head = await fetch(`${fixture.address}/api/v1/changes`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${fixture.token({ role: 'TEACHER' })}` },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  it('ten times at once, and again after one is closed', async () => {
    const many = await Promise.all(Array.from({ length: 10 }, () => open('TEACHER', 'busy')));
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200));
    const more = await open('TEACHER', 'busy');
    expect([more.status, more.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await open('TEACHER', 'other')).status).toBe(200);
    many[0]?.close();
    await expect.poll(async () => (await open('TEACHER', 'busy')).status, POLL_OPTIONS).toBe(200);
  });

  it('while the gateway has places, half of them for one organization', async () => {
    const small = await startGateway(fixture, { MAX_STREAMS: '4' });
    const [one, other, third] = [school(), school(), school()];
    const from = ({ org }: { org: string }, sub: string) => open('TEACHER', sub, { org, address: small.address });
    expect((await Promise.all([from(one, 'a'), from(one, 'b')])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await from(one, 'c')).status).toBe(503);
    expect((await Promise.all([from(other, 'a'), from(other, 'b')])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await from(third, 'a')).status).toBe(503);
    await small.stop();
  });
});

it('a silent stream sends `alive`, so that proxies do not close it as idle', async () => {
  const hasty = await startGateway(fixture, { CALL_TIMEOUT_MS: '900', CONNECTION_TIMEOUT_MS: '2000' });
  const { org, boss } = school();
  const page = await open('SUPERVISOR', 'ada', { org, address: hasty.address });
  // One piece at the start, and one for each half of that time.
  await expect.poll(page.pieces, POLL_OPTIONS).toBeGreaterThan(4);
  await mark(boss);
  await expect.poll(() => kindsOf(page), POLL_OPTIONS).toEqual(['category']);
  expect(page.ended()).toBeUndefined();
  await hasty.stop();
});

describe('A stream ends', () => {
  it('when its reader is revoked, and no other stream ends', async () => {
    const { org, boss } = school();
    const members = [{ user_id: 'eve', role: 'STUDENT' as const, display_name: 'Eve' }];
    await boss.ok(memberCalls.putMembers, { body: { members } });
    const pages = [
      await open('STUDENT', 'eve', { org }),
      await open('STUDENT', 'eve', { org, address: second.address }),
      await open('STUDENT', 'ann', { org }),
    ];
    await boss.ok(memberCalls.deactivateMember, { path: { user_id: 'eve' }, body: { reason: 'left' } });
    await expect.poll(() => pages.map((page) => page.ended()), POLL_OPTIONS).toEqual(['ended', 'ended', undefined]);
    expect((await open('STUDENT', 'eve', { org })).status).toBe(401);
  });

  it('when its token expires', async () => {
    const page = await open('SUPERVISOR', 'ada', { ttlSeconds: 1, address: second.address });
    expect(page.status).toBe(200);
    await expect.poll(page.ended, POLL_OPTIONS).toBe('ended');
  });

  it('at once when its gateway stops, and continues at another gateway', async () => {
    const leaving = await startGateway(fixture, { DRAIN_MS: '0' });
    const { org, boss } = school();
    const page = await open('SUPERVISOR', 'ada', { org, address: leaving.address });
    expect(page.status).toBe(200);
    await leaving.stop();
    await expect.poll(page.ended, POLL_OPTIONS).toBe('ended');
    const again = await open('SUPERVISOR', 'ada', { org, headers: { 'last-event-id': page.id() ?? '' } });
    await mark(boss);
    await expect.poll(() => kindsOf(again), POLL_OPTIONS).toEqual(['reset', 'category']);
  });
});

it('a page receives `reset` and later changes after its gateway lost the broker', async () => {
  const { org, boss } = school();
  const page = await open('SUPERVISOR', 'ada', { org });
  await fixture.nats.restart();
  await expect.poll(() => kindsOf(page), POLL_OPTIONS).toContain('reset');
  await expect.poll(() => mark(boss).catch(() => undefined), POLL_OPTIONS).toBeDefined();
  await expect.poll(() => kindsOf(page).at(-1), POLL_OPTIONS).toBe('category');
});
