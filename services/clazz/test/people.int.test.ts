import { clazzEvents, enrolmentCalls, memberCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';
import { transactionStatements } from './count-statements.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'] });
});
afterAll(() => fixture?.stop());

const NAMES: Readonly<Record<string, string>> = { ann: 'Ann', bob: 'Bob', tom: 'Tom', tia: 'Tia', mum: 'Mum' };
const putMember = (user_id: string, role: string, more: object = {}) =>
  supervisor().put('/ws/member/bulk', {
    members: [{ user_id, role, display_name: NAMES[user_id] ?? user_id, ...more }],
  });
const futureHour = (n: number): string => `2060-01-01T${String(n).padStart(2, '0')}:00:00.000Z`;

describe('a member', () => {
  beforeAll(async () => {
    await putMember('ann', 'STUDENT', { note: 'shy', phone: '1' });
    await putMember('bob', 'STUDENT');
    await putMember('tom', 'TEACHER', { email: 'tom@example.org' });
    await putMember('tia', 'TEACHER');
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'tom' });
    await enrolNow(supervisor(), id, 'ann');
  });

  it('is complete for staff, has no note for themselves, and is only name and role for their students', async () => {
    const readMember = (reader: ReturnType<typeof student>, id: string) => reader.get(`/ws/member/${id}`);
    expect(expectOk(await readMember(teacher(), 'ann'))).toMatchObject({ note: 'shy', phone: '1', version: 1 });
    const self = expectOk(await readMember(student('ann'), 'ann'));
    expect(self).toMatchObject({ user_id: 'ann', phone: '1', status: 'active' });
    expect(self).not.toHaveProperty('note');
    expect(expectOk(await readMember(student('ann'), 'tom'))).toEqual({
      user_id: 'tom',
      display_name: 'Tom',
      role: 'TEACHER',
    });
    for (const [reader, id] of [
      [student('ann'), 'tia'],
      [student('ann'), 'bob'],
      [student('bob'), 'tom'],
      [student('nobody'), 'nobody'],
      [teacher(), 'nobody'],
      [stranger(), 'ann'],
    ] as const) {
      expect(codeOf(await readMember(reader, id))).toBe('404 not_found');
    }
  });

  it('is changed only by supervisors, and not with an old version', async () => {
    const patch = (body: object, version?: number) =>
      supervisor().patch('/ws/member/tia', body, version === undefined ? {} : { 'if-match': `"${version}"` });
    expect(codeOf(await teacher().patch('/ws/member/tia', { note: 'x' }))).toBe('403 forbidden');
    const changed = await patch({ display_name: 'Tia T.', note: 'x' }, 1);
    expect(expectOk(changed)).toMatchObject({ display_name: 'Tia T.', note: 'x', version: 2 });
    expect(changed.headers.get('etag')).toBe('"2"');
    expect(codeOf(await patch({ note: 'y' }, 1))).toBe('412 version_mismatch');
    expect(expectOk(await patch({ note: 'x' }, 2))).toMatchObject({ version: 2 });
    expect(expectOk(await patch({ note: null }))).toMatchObject({ note: null, version: 3 });
    expect((await patch({ roles: ['STUDENT'], display_name: 'Tia, T.' })).body.errors).toEqual([
      { path: '/body/display_name', message: 'must not contain a comma' },
      { path: '/body/roles', message: 'must contain TEACHER, the primary role' },
    ]);
    expect(codeOf(await supervisor().patch('/ws/member/nobody', { note: 'x' }))).toBe('404 not_found');
    const [last] = (await fixture.events('clazz', clazzEvents.memberChanged)).slice(-1);
    expect(last?.data.members).toMatchObject([{ user_id: 'tia', display_name: 'Tia T.' }]);
  });

  it('is refused with a comma in the name or id', async () => {
    const members = [
      { user_id: 'a,b', role: 'STUDENT', display_name: 'x' },
      { user_id: 'c', role: 'STUDENT', display_name: 'x, y' },
    ];
    expect((await supervisor().put('/ws/member/bulk', { members })).body.errors).toEqual([
      { path: '/body/members/0/user_id', message: 'must not contain a comma' },
      { path: '/body/members/1/display_name', message: 'must not contain a comma' },
    ]);
  });

  it('is not deleted while a record refers to them', async () => {
    const remove = (id: string) => supervisor().delete(`/ws/member/${id}`);
    const refusedDeletion = async (id: string) => {
      const { code, used_by } = (await remove(id)).body;
      return [code, used_by?.map(({ what }) => what)];
    };
    expect(await refusedDeletion('ann')).toEqual(['in_use', ['enrolment']]);
    expect(await refusedDeletion('tom')).toEqual(['in_use', ['clazz']]);
    await putMember('owner', 'TEACHER');
    await fixture.as({ role: 'TEACHER', sub: 'owner' }).post('/ws/course', { title: 'x' });
    await fixture.as({ role: 'TEACHER', sub: 'owner' }).post('/clazz/course-package', { title: 'x' });
    expect(await refusedDeletion('owner')).toEqual(['in_use', ['course', 'course_package']]);
    await putMember('paid', 'STUDENT');
    await supervisor().post('/clazz/hour/grant', { student_id: 'paid', hours: 1 });
    expect(await refusedDeletion('paid')).toEqual(['in_use', ['hour_entry']]);
    expect(codeOf(await teacher().delete('/ws/member/bob'))).toBe('403 forbidden');
    expect(codeOf(await remove('nobody'))).toBe('404 not_found');
  });

  it('can be deleted after an enrolment that was withdrawn', async () => {
    await putMember('typo', 'STUDENT');
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'tom' });
    await enrolNow(supervisor(), id, 'typo');
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'typo' } });
    const stale = await supervisor().delete('/ws/member/typo', { 'if-match': '"7"' });
    expect(codeOf(stale)).toBe('412 version_mismatch');
    expect((await supervisor().delete('/ws/member/typo')).status).toBe(204);
    expect(codeOf(await supervisor().get('/ws/member/typo'))).toBe('404 not_found');
    const inCourse = () => fixture.sql("select 1 from course.member where user_id = 'typo'");
    await expect.poll(inCourse, POLL_OPTIONS).toEqual([]);
  });
});

describe('a deactivated member', () => {
  const deactivate = (id: string) =>
    supervisor().ok(memberCalls.deactivateMember, { path: { user_id: id }, body: { reason: 'x' } });
  const reactivate = (id: string) => supervisor().ok(memberCalls.activateMember, { path: { user_id: id } });
  const statusOf = async (clazz_id: string, student_id: string) =>
    (await supervisor().ok(enrolmentCalls.listEnrolments, { path: { id: clazz_id } })).items.find(
      (it) => it.student_id === student_id,
    )?.status;

  it('is suspended in all classes, has their future lessons named, and is not resumed by reactivation', async () => {
    await putMember('lea', 'STUDENT', { roles: ['STUDENT', 'TEACHER'] });
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => newClazz(supervisor(), { name, lead_teacher_id: `lead-${name}` })),
    );
    for (const it of [one, two]) await enrolNow(supervisor(), it?.id ?? '', 'lea', 'other');
    const taught = await newClazz(supervisor(), { name: 'taught', lead_teacher_id: 'lea' });
    const lesson = expectOk(await postLesson(supervisor(), taught.id, futureHour(9)), 201);
    await postLesson(supervisor(), taught.id, '2020-01-01T09:00:00.000Z');
    expect(codeOf(await teacher().post('/ws/member/lea/deactivate', { reason: 'x' }))).toBe('403 forbidden');
    expect(codeOf(await supervisor().post('/ws/member/nobody/deactivate', { reason: 'x' }))).toBe('404 not_found');

    const first = await deactivate('lea');
    expect(first).toMatchObject({ member: { user_id: 'lea', status: 'inactive', version: 2 } });
    expect(first.lessons).toMatchObject([{ id: lesson.id, clazz_name: 'taught', teacher_name: 'lea' }]);
    expect(first.suspended.map((it) => [it.clazz_name, it.student_name, it.status]).toSorted()).toEqual([
      ['one', 'lea', 'suspended'],
      ['two', 'lea', 'suspended'],
    ]);
    expect(expectOk(await supervisor().get(`/clazz/lesson/${lesson.id}`))).toMatchObject({
      status: 'scheduled',
      version: 1,
    });
    expect(await statusOf(one?.id ?? '', 'other')).toBe('active');

    const auditLog = expectOk(await supervisor().get('/clazz/audit-log?entity=member&entity_id=lea&action=update'));
    expect(auditLog.items).toMatchObject([
      { entity_id: 'lea', reason: 'x', changes: { status: { before: 'active', after: 'inactive' } } },
    ]);

    const again = await deactivate('lea');
    expect(again).toMatchObject({ member: { version: 2 }, lessons: [{ id: lesson.id }], suspended: [] });
    expect(await reactivate('lea')).toMatchObject({ member: { status: 'active', version: 3 }, suspended: [] });
    expect(await reactivate('lea')).toMatchObject({ member: { status: 'active', version: 3 } });
    expect(await statusOf(one?.id ?? '', 'lea')).toBe('suspended');
  });

  it('has all their classes locked by one statement, before the member row', async () => {
    await putMember('max', 'STUDENT');
    for (const name of ['a', 'b', 'c']) {
      const { id } = await newClazz(supervisor(), { name, lead_teacher_id: `max-${name}` });
      await enrolNow(supervisor(), id, 'max');
    }
    const sent = await transactionStatements(/from member .*for update/s, async () => {
      expect((await deactivate('max')).suspended).toHaveLength(3);
    });
    const locks = sent.filter((text) => /for update/.test(text));
    expect(locks.map((text) => /from (\w+)/.exec(text)?.[1])).toEqual(['clazz', 'member']);
  });

  it('is passed over on the waiting list until they are active again', async () => {
    await putMember('wim', 'STUDENT');
    const { id } = await newClazz(supervisor(), { capacity: 1, lead_teacher_id: 'lead-w' });
    const wait = { student_ids: ['first', 'wim', 'next'], waitlist: true };
    await supervisor().ok(enrolmentCalls.enrolStudents, { path: { id }, body: wait });
    await deactivate('wim');
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'first' } });
    expect([await statusOf(id, 'wim'), await statusOf(id, 'next')]).toEqual(['waiting', 'active']);
    await reactivate('wim');
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'next' } });
    expect(await statusOf(id, 'wim')).toBe('active');
  });
});

describe('the caller', () => {
  it('reads their own profile, also as a guardian', async () => {
    await putMember('kid', 'STUDENT');
    await putMember('mum', 'GUARDIAN', { note: 'x' });
    const links = { guardians: [{ user_id: 'mum', relation: 'mother', money: true }] };
    await supervisor().put('/ws/member/kid/guardian', links);
    const mum = fixture.as({ role: 'GUARDIAN', sub: 'mum' });
    const me = expectOk(await mum.get('/me'));
    expect(me).toMatchObject({
      user_id: 'mum',
      org_id: fixture.org,
      roles: ['GUARDIAN'],
      member: { display_name: 'Mum', role: 'GUARDIAN', status: 'active' },
      children: [{ user_id: 'kid', display_name: 'kid' }],
      policy: { zone: 'UTC', org_name: null },
    });
    expect(me.member).not.toHaveProperty('note');
    expect(expectOk(await student('unknown').get('/me'))).toMatchObject({
      member: null,
      children: [],
      roles: ['STUDENT'],
    });
    expect(expectOk(await student('kid').get('/ws/member/mum'))).toEqual({
      user_id: 'mum',
      display_name: 'Mum',
      role: 'GUARDIAN',
    });
    expect(expectOk(await mum.get('/ws/member/kid'))).toMatchObject({ user_id: 'kid', role: 'STUDENT' });
    expect(codeOf(await mum.get('/ws/member/ann'))).toBe('404 not_found');
    expect(codeOf(await mum.get('/ws/member'))).toBe('403 forbidden');
  });
});

describe('guardians', () => {
  const put = (guardians: object[], id = 'cub') => supervisor().put(`/ws/member/${id}/guardian`, { guardians });
  const listed = async () =>
    (await supervisor().ok(memberCalls.listGuardians, { path: { user_id: 'cub' } })).guardians.map(
      ({ user_id }) => user_id,
    );
  beforeAll(async () => {
    await putMember('cub', 'STUDENT');
    await putMember('pa', 'GUARDIAN');
    await putMember('ma', 'GUARDIAN');
  });

  it('are replaced by the list that is put, and must be members of the directory', async () => {
    const ma = { user_id: 'ma', relation: 'mother', money: true };
    const answer = expectOk(await put([ma, { user_id: 'pa', money: false }]));
    expect(answer).toMatchObject({
      guardians: [
        { ...ma, display_name: 'ma' },
        { user_id: 'pa', relation: null, money: false, display_name: 'pa' },
      ],
    });
    expect(expectOk(await put([ma])).guardians).toMatchObject([ma]);
    expect((await put([ma, { user_id: 'who', money: true }])).body).toMatchObject({
      code: 'not_found',
      errors: [{ path: '/body/guardians/1/user_id' }],
    });
    expect((await put([{ user_id: 'cub', money: true }])).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/body/guardians/0/user_id' }],
    });
    expect(codeOf(await put([ma, ma]))).toBe('400 invalid_request');
    expect(codeOf(await put([], 'who'))).toBe('404 not_found');
    expect(codeOf(await teacher().put('/ws/member/cub/guardian', { guardians: [] }))).toBe('403 forbidden');
    expect(await listed()).toEqual(['ma']);
  });

  it('and their child cannot be deleted while linked, and erasing a guardian removes the link', async () => {
    await put([{ user_id: 'ma', money: true }]);
    expect(codeOf(await supervisor().delete('/ws/member/ma'))).toBe('409 in_use');
    expect((await supervisor().delete('/ws/member/cub')).body.used_by).toEqual([{ what: 'guardian', count: 1 }]);
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'ma' }, body: { reason: 'asked' } });
    expect(await listed()).toEqual([]);
  });
});
