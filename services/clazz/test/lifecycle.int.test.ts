import { randomUUID } from 'node:crypto';
import { clazzEvents } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);

describe('a class', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const created = await supervisor().post('/clazz', { name: '代数', lead_teacher_id: 'teacher-1', capacity: 2 });
    expect(expectOk(created, 201)).toMatchObject({ status: 'draft', zone: 'UTC', assistant_ids: [], version: 1 });
    const path = `/clazz/${created.body.id}`;
    expect((await teacher().get(path)).body).toMatchObject(created.body);
    const changed = await teacher().patch(path, { name: 'Algebra', starts_on: '2030-01-01' }, { 'if-match': '"1"' });
    expect(expectOk(changed)).toMatchObject({ name: 'Algebra', starts_on: '2030-01-01', version: 2 });
    expectRefusal(await teacher().patch(path, { name: 'x' }, { 'if-match': '"1"' }), 412, 'version_mismatch');
    expectRefusal(await teacher('other').patch(path, { name: 'x' }), 403, 'forbidden');
    expectRefusal(await teacher().patch(path, { lead_teacher_id: 'other' }), 403, 'forbidden');
    expectRefusal(await supervisor().patch(path, { ends_on: '2029-01-01' }), 400, 'invalid_request');
    const listed = expectOk(await teacher().get('/clazz?keyword=algebra'));
    expect(listed.items.map((row) => row.id)).toEqual([created.body.id]);
    expectRefusal(await teacher().delete(path), 403, 'forbidden');
    expect((await supervisor().delete(path)).status).toBe(204);
    expectRefusal(await supervisor().get(path), 404, 'not_found');
  });

  it('changes its status only as defined, and names both states of a refused change', async () => {
    const { id } = await newClazz(supervisor(), {}, 'draft');
    const post = (move: string, body?: unknown) => supervisor().post(`/clazz/${id}/${move}`, body);
    expect(expectRefusal(await post('complete'), 409, 'invalid_transition')).toMatchObject({
      from: 'draft',
      to: 'completed',
    });
    expectRefusal(await teacher().post(`/clazz/${id}/activate`), 403, 'forbidden');
    expect(expectOk(await post('activate'))).toMatchObject({ status: 'active', completed_at: null });
    expectRefusal(await post('activate'), 409, 'invalid_transition');
    expectRefusal(await supervisor().delete(`/clazz/${id}`), 409, 'invalid_transition');
    const done = expectOk(await teacher().post(`/clazz/${id}/complete`));
    expect(done.status).toBe('completed');
    expect(done.completed_at).toMatch(/Z$/);
    for (const answer of [
      await postLesson(supervisor(), id, '2030-01-01T10:00:00Z'),
      await supervisor().post(`/clazz/${id}/student`, { student_ids: ['s'] }),
      await supervisor().put(`/clazz/${id}/assistants`, { teacher_ids: ['a'] }),
      await supervisor().patch(`/clazz/${id}`, { name: 'x' }),
    ]) {
      expectRefusal(answer, 409, 'clazz_closed');
    }
    expectRefusal(await post('reopen'), 400, 'invalid_request');
    expect(expectOk(await post('reopen', { reason: 'too early' }))).toMatchObject({
      status: 'active',
      completed_at: null,
    });
    expect(expectOk(await post('cancel'))).toMatchObject({ status: 'cancelled' });
    expectRefusal(await post('reopen', { reason: 'x' }), 409, 'invalid_transition');
  });

  it('that is cancelled ends its future lessons, enrolments and relations', async () => {
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'ends' });
    await enrolNow(supervisor(), id, 'ends-1');
    const past = expectOk(await postLesson(supervisor(), id, '2020-01-01T10:00:00Z'), 201);
    const future = expectOk(await postLesson(supervisor(), id, '2040-01-01T10:00:00Z'), 201);
    expectOk(await supervisor().post(`/clazz/${id}/cancel`, { reason: 'too few' }));
    const { items } = expectOk(await supervisor().get(`/clazz/${id}/lesson`));
    expect(items.map((row) => [row.id, row.status, row.cancel_reason])).toEqual([
      [past.id, 'scheduled', null],
      [future.id, 'cancelled', 'too few'],
    ]);
    expect(expectOk(await supervisor().get(`/clazz/${id}/student`)).items).toMatchObject([{ status: 'withdrawn' }]);
    expect(expectOk(await teacher('ends').get('/clazz/relation/my-students')).items).toEqual([]);
  });

  it('is visible only to its students and to staff of its organization', async () => {
    const { id } = await newClazz(supervisor());
    await enrolNow(teacher(), id, 'in');
    expect((await student('in').get(`/clazz/${id}`)).status).toBe(200);
    expect(expectOk(await student('in').get('/clazz')).items).toHaveLength(1);
    expectRefusal(await student('out').get(`/clazz/${id}`), 404, 'not_found');
    expect(expectOk(await student('out').get('/clazz')).items).toEqual([]);
    const foreign = stranger();
    for (const answer of [
      await foreign.get(`/clazz/${id}`),
      await foreign.patch(`/clazz/${id}`, { name: 'x' }),
      await foreign.post(`/clazz/${id}/complete`),
      await foreign.get(`/clazz/${id}/student`),
      await foreign.get(`/clazz/${id}/audit-log`),
      await foreign.post(`/clazz/${id}/student`, { student_ids: ['s'] }),
    ]) {
      expectRefusal(answer, 404, 'not_found');
    }
    expect(expectOk(await foreign.get('/clazz')).items).toEqual([]);
  });

  it('refuses a course package that the organization does not have', async () => {
    const course_package_id = randomUUID();
    const answer = await supervisor().post('/clazz', { name: 'x', lead_teacher_id: 't', course_package_id });
    const { errors } = expectRefusal(answer, 404, 'not_found');
    expect(errors).toEqual([{ path: '/body/course_package_id', message: 'does not exist' }]);
  });

  it('is created once when its creation is repeated with the same Idempotency-Key', async () => {
    const body = { name: 'Once', lead_teacher_id: 'teacher-1' };
    const headers = { 'idempotency-key': 'create-once' };
    const first = await supervisor().post('/clazz', body, headers);
    expect((await supervisor().post('/clazz', body, headers)).body).toEqual(first.body);
    expectRefusal(await supervisor().post('/clazz', { ...body, name: 'x' }, headers), 422, 'idempotency_mismatch');
    expect(expectOk(await supervisor().get('/clazz?keyword=once')).items).toHaveLength(1);
  });
});

describe('a class created with its students in one call', () => {
  const lead_teacher_id = 'teacher-1';
  const createClazz = (fields: object, headers = {}) =>
    supervisor().post('/clazz', { name: 'Whole', lead_teacher_id, ...fields }, headers);
  const auditEntriesOf = async (id: string) => {
    const { items } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?limit=50`));
    return items
      .toReversed()
      .filter(({ action }) => action !== 'read')
      .map(({ action, entity, changes }) => [action, entity, Object.keys(changes ?? {}).toSorted()]);
  };
  const eventsOf = async (id: string) =>
    (await fixture.events('clazz', clazzEvents.clazzChanged))
      .filter(({ data }) => data.clazz.id === id)
      .map(({ data }) => [data.change, data.clazz.status, data.clazz.version]);

  it('is active with its students, and publishes and records the same as single calls', async () => {
    const members = [{ user_id: 'whole-1', role: 'STUDENT', display_name: 'Wu' }];
    expectOk(await supervisor().put('/ws/member/bulk', { members }));
    const student_ids = ['whole-1', 'whole-2', 'whole-3'];
    const created = expectOk(await createClazz({ capacity: 2, student_ids, waitlist: true, activate: true }), 201);
    expect(created).toMatchObject({
      status: 'active',
      version: 2,
      enrolments: [
        { student_id: 'whole-1', student_name: 'Wu', status: 'active' },
        { student_id: 'whole-2', student_name: null, status: 'active' },
        { student_id: 'whole-3', status: 'waiting' },
      ],
    });
    expect(expectOk(await supervisor().get(`/clazz/${created.id}`))).toMatchObject({ status: 'active', version: 2 });
    const { items } = expectOk(await supervisor().get(`/clazz/${created.id}/student`));
    expect(items).toEqual(created.enrolments);
    const { id } = expectOk(await createClazz({ capacity: 2 }), 201);
    expectOk(await supervisor().post(`/clazz/${id}/student`, { student_ids, waitlist: true }), 201);
    expectOk(await supervisor().post(`/clazz/${id}/activate`));
    expect(await auditEntriesOf(created.id)).toEqual(await auditEntriesOf(id));
    expect(await eventsOf(created.id)).toEqual(await eventsOf(id));
  });

  it('is created with all students or not at all, and once per Idempotency-Key', async () => {
    const student_ids = ['half-1', 'half-2'];
    const body = { name: 'Half', activate: true };
    expectRefusal(await createClazz({ ...body, capacity: 1, student_ids }), 409, 'clazz_full');
    const duplicate = expectRefusal(
      await createClazz({ ...body, student_ids: ['half-1', 'half-1'] }),
      400,
      'invalid_request',
    );
    expect(duplicate.errors).toEqual([{ path: '/body/student_ids/1', message: 'is named twice' }]);
    expect(expectOk(await supervisor().get('/clazz?keyword=half')).items).toEqual([]);
    const headers = { 'idempotency-key': 'whole-once' };
    const [first, again] = [
      await createClazz({ ...body, student_ids }, headers),
      await createClazz({ ...body, student_ids }, headers),
    ];
    expect(again.body).toEqual(expectOk(first, 201));
    expect(expectOk(await supervisor().get('/clazz?keyword=half')).items).toHaveLength(1);
    const withoutStudents = expectOk(await createClazz({ student_ids: [], activate: false }), 201);
    expect(withoutStudents).toMatchObject({ status: 'draft', version: 1 });
    expect(withoutStudents).not.toHaveProperty('enrolments');
  });
});

describe('the audit log', () => {
  it('contains every write and read of a class, with the values before and after', async () => {
    const { id } = await newClazz(supervisor());
    await enrolNow(teacher(), id, 's-1');
    expectOk(await postLesson(teacher(), id, '2031-01-01T10:00:00Z'), 201);
    expectOk(await student('s-1').get(`/clazz/${id}`));
    const { items } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?limit=50`));
    const brief = items.map((row) => `${row.actor_id} ${row.action} ${row.entity}`);
    expect(brief.toReversed()).toEqual([
      'supervisor-1 create clazz',
      'supervisor-1 update clazz',
      'teacher-1 create enrolment',
      'teacher-1 create relation',
      'teacher-1 create lesson',
      's-1 read clazz',
    ]);
    const activated = items.at(-2);
    expect(activated?.changes).toEqual({
      status: { before: 'draft', after: 'active' },
      version: { before: 1, after: 2 },
    });
    expect(activated?.actor_roles).toEqual(['SUPERVISOR']);
    const verified = expectOk(await supervisor().get('/clazz/audit-log/verify'));
    expect(verified).toMatchObject({ ok: true });
    expectRefusal(await teacher('other').get(`/clazz/${id}/audit-log`), 403, 'forbidden');
    expectOk(await teacher().get(`/clazz/${id}/audit-log`));
  });
});
