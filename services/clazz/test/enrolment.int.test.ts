import { relationCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal, retryWhileBusy } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);
const listed = async (id: string, query = '') =>
  expectOk(await supervisor().get(`/clazz/${id}/student?limit=100${query}`)).items.map(
    (row) => `${row.student_id} ${row.status}`,
  );
const changeEnrolment = <const S extends string>(id: string, student_id: string, step: S, body?: unknown) =>
  supervisor().post(`/clazz/${id}/student/${student_id}/${step}`, body);

describe('enrolment', () => {
  it('stores all students or none, names a duplicate by its path, and may begin in the past', async () => {
    const { id } = await newClazz(supervisor(), { capacity: 3 });
    const since = '2020-01-01T00:00:00.000Z';
    const first = expectOk(await teacher().post(`/clazz/${id}/student`, { student_ids: ['a', 'b'], since }), 201);
    expect(first.items).toMatchObject([
      { student_id: 'a', status: 'active', since, until: null },
      { student_id: 'b', status: 'active', since, until: null },
    ]);
    const duplicate = expectRefusal(
      await teacher().post(`/clazz/${id}/student`, { student_ids: ['c', 'b'] }),
      409,
      'duplicate',
    );
    expect(duplicate.errors).toEqual([{ path: '/body/student_ids/1', message: 'is already enrolled' }]);
    expectRefusal(await teacher().post(`/clazz/${id}/student`, { student_ids: ['c', 'd'] }), 409, 'clazz_full');
    expectRefusal(await teacher().post(`/clazz/${id}/student`, { student_ids: ['c', 'c'] }), 400, 'invalid_request');
    expectRefusal(await teacher('other').post(`/clazz/${id}/student`, { student_ids: ['c'] }), 403, 'forbidden');
    expect(await listed(id)).toEqual(['a active', 'b active']);
  });

  it('gives exactly the free seats to 200 parallel requests', async () => {
    const { id } = await newClazz(supervisor(), { capacity: 30 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        retryWhileBusy(() => supervisor().post(`/clazz/${id}/student`, { student_ids: [`s${n}`] })),
      ),
    );
    const codes = answers.map((answer) => answer.body.code ?? answer.status);
    expect(codes.filter((code) => code === 201)).toHaveLength(30);
    expect(codes.filter((code) => code === 'clazz_full')).toHaveLength(170);
    expect(await listed(id)).toHaveLength(30);
  });

  it('puts parallel requests beyond the capacity on the waiting list, and fills free seats in order', async () => {
    const { id } = await newClazz(supervisor(), { capacity: 10 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        retryWhileBusy(() => supervisor().post(`/clazz/${id}/student`, { student_ids: [`s${n}`], waitlist: true })),
      ),
    );
    for (const answer of answers) expectOk(answer, 201);
    const before = await listed(id);
    expect(before.filter((row) => row.endsWith(' active'))).toHaveLength(10);
    const waiting = before.filter((row) => row.endsWith(' waiting')).map((row) => row.split(' ')[0]);
    expect(waiting).toHaveLength(50);
    const active = before.filter((row) => row.endsWith(' active')).map((row) => row.split(' ')[0] ?? '');
    await Promise.all(active.slice(0, 4).map((one) => changeEnrolment(id, one, 'withdraw')));
    const seated = (await listed(id, '&status=active')).map((row) => row.split(' ')[0]);
    expect(new Set(seated)).toEqual(new Set([...active.slice(4), ...waiting.slice(0, 4)]));
    expectOk(await supervisor().patch(`/clazz/${id}`, { capacity: 12 }));
    expect(await listed(id, '&status=active')).toHaveLength(12);
    expectRefusal(await supervisor().patch(`/clazz/${id}`, { capacity: 11 }), 409, 'capacity_below_enrolled');
  });

  it('can be suspended, resumed and withdrawn, and keeps its seat while suspended', async () => {
    const { id } = await newClazz(supervisor(), { capacity: 1 });
    await enrolNow(supervisor(), id, 's');
    expectRefusal(await changeEnrolment(id, 's', 'resume'), 409, 'invalid_transition');
    expect(expectOk(await changeEnrolment(id, 's', 'suspend'))).toMatchObject({ status: 'suspended', until: null });
    expectRefusal(await supervisor().post(`/clazz/${id}/student`, { student_ids: ['t'] }), 409, 'clazz_full');
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids: ['t'], waitlist: true }), 201);
    expect(expectOk(await changeEnrolment(id, 's', 'resume'))).toMatchObject({ status: 'active' });
    expect(expectOk(await changeEnrolment(id, 's', 'withdraw', { reason: 'moved away' })).until).toMatch(/Z$/);
    expectRefusal(await changeEnrolment(id, 's', 'withdraw'), 409, 'invalid_transition');
    expectRefusal(await changeEnrolment(id, 'nobody', 'withdraw'), 404, 'not_found');
    expect(await listed(id)).toEqual(['s withdrawn', 't active']);
    const periods = await fixture.sql(
      `select upper(during) is not null as closed from clazz.enrolment_period where clazz_id = $1 and student_id = 's'`,
      [id],
    );
    expect(periods.every((row) => row['closed'] === true)).toBe(true);
  });

  it('gives a free seat to the first waiting student without a clash, however many clash before', async () => {
    const students = Array.from({ length: 25 }, (_, n) => `waiting-${n}`);
    const elsewhere = await newClazz(supervisor(), { lead_teacher_id: 'teacher-2' });
    const at = '2035-03-01T10:00:00.000Z';
    expectOk(await postLesson(supervisor(), elsewhere.id, at, { teacher_id: 'teacher-2' }), 201);
    await enrolNow(supervisor(), elsewhere.id, ...students.slice(0, 23));
    const { id } = await newClazz(supervisor(), { capacity: 1, lead_teacher_id: 'teacher-3' });
    expectOk(await postLesson(supervisor(), id, at, { teacher_id: 'teacher-3' }), 201);
    await enrolNow(supervisor(), id, 'seated-1');
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids: students, waitlist: true }), 201);
    expectOk(await changeEnrolment(id, 'seated-1', 'withdraw'));
    expect(await listed(id, '&status=active')).toEqual(['waiting-23 active']);
  });

  it('passes over a waiting student with a clash, and keeps that student first on the list', async () => {
    const busy = await newClazz(supervisor(), { lead_teacher_id: 'busy' });
    await enrolNow(supervisor(), busy.id, 'first');
    expectOk(await postLesson(supervisor(), busy.id, '2032-01-01T10:00:00Z'), 201);
    const { id } = await newClazz(supervisor(), { capacity: 1, lead_teacher_id: 'free' });
    await enrolNow(supervisor(), id, 'seated');
    const student_ids = ['first', 'second'];
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids, waitlist: true }), 201);
    expectOk(await postLesson(supervisor(), id, '2032-01-01T10:30:00Z'), 201);
    expectOk(await changeEnrolment(id, 'seated', 'withdraw'));
    expect(await listed(id)).toEqual(['seated withdrawn', 'first waiting', 'second active']);
    const clash = await supervisor().post(`/clazz/${busy.id}/student`, { student_ids: ['second'] });
    expect(expectRefusal(clash, 409, 'schedule_conflict').conflicts).toMatchObject([
      { clazz_id: id, student_ids: ['second'] },
    ]);
  });
});

describe('a transfer', () => {
  it('keeps every student and both capacities when 20 students move each way in parallel', async () => {
    const size = { capacity: 30 };
    const [a, b] = await Promise.all([newClazz(supervisor(), size), newClazz(supervisor(), size)]);
    const names = (side: string) => Array.from({ length: 20 }, (_, n) => `${side}${n}`);
    await Promise.all([enrolNow(supervisor(), a.id, ...names('a')), enrolNow(supervisor(), b.id, ...names('b'))]);
    const answers = await Promise.all(
      names('').flatMap((n) => [
        retryWhileBusy(() => changeEnrolment(a.id, `a${n}`, 'transfer', { to_clazz_id: b.id })),
        retryWhileBusy(() => changeEnrolment(b.id, `b${n}`, 'transfer', { to_clazz_id: a.id })),
      ]),
    );
    const codes = answers.map((answer) => answer.body.code ?? answer.status);
    expect(codes.filter((code) => code !== 200 && code !== 'clazz_full')).toEqual([]);
    const active = await Promise.all([listed(a.id, '&status=active'), listed(b.id, '&status=active')]);
    const enrolledStudents = active.flat().map((row) => row.split(' ')[0]);
    expect(enrolledStudents).toHaveLength(40);
    expect(new Set(enrolledStudents)).toEqual(new Set([...names('a'), ...names('b')]));
    expect(Math.max(...active.map((rows) => rows.length))).toBeLessThanOrEqual(30);
  });

  it('returns both enrolments, and names a class that does not exist', async () => {
    const [a, b] = [await newClazz(supervisor()), await newClazz(supervisor(), { lead_teacher_id: 'teacher-2' })];
    await enrolNow(supervisor(), a.id, 's');
    const unknown = '00000000-0000-7000-8000-000000000000';
    const missing = expectRefusal(
      await changeEnrolment(a.id, 's', 'transfer', { to_clazz_id: unknown }),
      404,
      'not_found',
    );
    expect(missing.errors).toEqual([{ path: '/body/to_clazz_id', message: 'does not exist' }]);
    expectRefusal(await changeEnrolment(a.id, 's', 'transfer', { to_clazz_id: a.id }), 400, 'invalid_request');
    const into = { to_clazz_id: b.id };
    expectRefusal(await teacher().post(`/clazz/${a.id}/student/s/transfer`, into), 403, 'forbidden');
    expect(expectOk(await changeEnrolment(a.id, 's', 'transfer', into))).toMatchObject({
      clazz_id: b.id,
      status: 'active',
      from: { clazz_id: a.id, status: 'transferred' },
    });
    expectRefusal(await changeEnrolment(a.id, 's', 'transfer', into), 409, 'invalid_transition');
  });
});

describe('teacher–student relations', () => {
  const students = async (sub: string, at?: string) =>
    (await teacher(sub).ok(relationCalls.listMyStudents, { query: { at } })).items.map(
      (row) => `${row.student_id} ${row.role}`,
    );

  it('follow enrolments and staff, and can be queried for a past moment', async () => {
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'lead-1' });
    const since = '2021-01-01T00:00:00Z';
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids: ['x', 'y'], since }), 201);
    expectOk(await supervisor().put(`/clazz/${id}/assistants`, { teacher_ids: ['helper'] }));
    expect(await students('lead-1')).toEqual(['x lead', 'y lead']);
    expect(await students('helper')).toEqual(['x assistant', 'y assistant']);
    expectOk(await supervisor().patch(`/clazz/${id}`, { lead_teacher_id: 'helper' }));
    expectOk(await changeEnrolment(id, 'x', 'withdraw'));
    expect(await students('lead-1')).toEqual([]);
    expect(await students('helper')).toEqual(['y lead']);
    expect(await students('lead-1', '2022-01-01T00:00:00Z')).toEqual(['x lead', 'y lead']);
    expect(await students('lead-1', '2020-01-01T00:00:00Z')).toEqual([]);
    const mine = expectOk(await student('y').get('/clazz/relation/my-teachers'));
    expect(mine.items).toMatchObject([{ teacher_id: 'helper', student_id: 'y', role: 'lead', until: null }]);
    expectRefusal(await teacher('lead-1').get('/clazz/relation/my-students?teacher_id=helper'), 403, 'forbidden');
    const request = student('y').get('/clazz/relation/my-teachers?student_id=x');
    expectRefusal(await request, 403, 'forbidden');
  });
});
