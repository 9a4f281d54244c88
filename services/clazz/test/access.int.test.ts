import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { Answer as Sent } from '../../../tools/proofs/test/http.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
let clazz: { id: string; version: number };
let target: { id: string };
let lesson: { id: string };
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
  clazz = await newClazz(supervisor(), { lead_teacher_id: 'lead' });
  target = await newClazz(supervisor(), { lead_teacher_id: 'lead-2' });
  await enrolNow(supervisor(), clazz.id, 's-1');
  lesson = expectOk(await postLesson(supervisor(), clazz.id, '2033-01-01T10:00:00Z'), 201);
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
const SERIES = {
  starts_on: '2034-01-01',
  start_time: '10:00',
  duration_minutes: 60,
  zone: 'UTC',
  rrule: 'FREQ=DAILY',
  count: 2,
};
const TIMES = { starts_at: '2033-02-01T10:00:00Z', ends_at: '2033-02-01T11:00:00Z' };

type Send = (api: Api) => Promise<Sent>;
/** Every write with the role that it needs: `supervisor`, or `manager` (a supervisor or the lead teacher). */
const writes: readonly (readonly [name: string, role: 'supervisor' | 'manager', send: Send])[] = [
  ['update', 'manager', (api) => api.patch(`/clazz/${clazz.id}`, { name: 'x' })],
  ['remove', 'supervisor', (api) => api.delete(`/clazz/${clazz.id}`)],
  ['activate', 'supervisor', (api) => api.post(`/clazz/${clazz.id}/activate`)],
  ['cancel', 'supervisor', (api) => api.post(`/clazz/${clazz.id}/cancel`)],
  ['complete', 'manager', (api) => api.post(`/clazz/${clazz.id}/complete`)],
  ['reopen', 'supervisor', (api) => api.post(`/clazz/${clazz.id}/reopen`, { reason: 'x' })],
  ['assistants', 'manager', (api) => api.put(`/clazz/${clazz.id}/assistants`, { teacher_ids: ['a'] })],
  ['enrol', 'manager', (api) => api.post(`/clazz/${clazz.id}/student`, { student_ids: ['s-2'] })],
  ['suspend', 'manager', (api) => api.post(`/clazz/${clazz.id}/student/s-1/suspend`)],
  ['resume', 'manager', (api) => api.post(`/clazz/${clazz.id}/student/s-1/resume`)],
  ['withdraw', 'manager', (api) => api.post(`/clazz/${clazz.id}/student/s-1/withdraw`)],
  ['transfer', 'manager', (api) => api.post(`/clazz/${clazz.id}/student/s-1/transfer`, { to_clazz_id: target.id })],
  ['lesson', 'manager', (api) => api.post(`/clazz/${clazz.id}/lesson`, TIMES)],
  ['series', 'manager', (api) => api.post(`/clazz/${clazz.id}/lesson/series`, SERIES)],
  ['preview', 'manager', (api) => api.post(`/clazz/${clazz.id}/lesson/series/preview`, SERIES)],
  ['move', 'manager', (api) => api.patch(`/clazz/lesson/${lesson.id}`, { room: 'x' })],
  ['cancel lesson', 'manager', (api) => api.post(`/clazz/lesson/${lesson.id}/cancel`)],
];
const reads: readonly (readonly [name: string, send: Send])[] = [
  ['class', (api) => api.get(`/clazz/${clazz.id}`)],
  ['lessons', (api) => api.get(`/clazz/${clazz.id}/lesson`)],
  ['lesson', (api) => api.get(`/clazz/lesson/${lesson.id}`)],
];
const staffReads: typeof reads = [
  ['students', (api) => api.get(`/clazz/${clazz.id}/student`)],
  ['completion preview', (api) => api.get(`/clazz/${clazz.id}/completion-preview`)],
  ['audit log', (api) => api.get(`/clazz/${clazz.id}/audit-log`)],
];

/** All stored classes, enrolments, lessons and staff periods. */
const stored = () =>
  fixture.sql(`select (select json_agg(c order by id) from clazz.clazz c) as clazz,
    (select json_agg(e order by id) from clazz.enrolment e) as enrolment,
    (select json_agg(l order by id) from clazz.lesson l) as lesson,
    (select json_agg(s order by id) from clazz.staff_period s) as staff`);

describe('access to a class', () => {
  let before: unknown;
  beforeAll(async () => {
    before = await stored();
  });
  const expectNoChange = async (): Promise<void> => expect(await stored()).toEqual(before);

  it.each(writes)(
    'answers 404 to a supervisor of another organization and changes nothing: %s',
    async (_name, _role, send) => {
      expectRefusal(await send(stranger()), 404, 'not_found');
      await expectNoChange();
    },
  );

  it.each([...reads, ...staffReads])(
    'answers 404 to a supervisor of another organization who reads: %s',
    async (_name, send) => {
      expectRefusal(await send(stranger()), 404, 'not_found');
    },
  );

  it.each(writes)('refuses a teacher who does not teach the class: %s', async (_name, _role, send) => {
    expectRefusal(await send(teacher('other')), 403, 'forbidden');
    await expectNoChange();
  });

  it.each(writes.filter(([, role]) => role === 'supervisor'))(
    'refuses the lead teacher a write of supervisors: %s',
    async (_name, _role, send) => {
      expectRefusal(await send(teacher('lead')), 403, 'forbidden');
      await expectNoChange();
    },
  );

  it.each([...writes.map(([name, , send]) => [name, send] as const), ...staffReads])(
    'refuses a student of the class: %s',
    async (_name, send) => {
      expectRefusal(await send(student('s-1')), 403, 'forbidden');
      await expectNoChange();
    },
  );

  it.each(reads)(
    'lets students of the class and all teachers read, and answers 404 to other students: %s',
    async (_name, send) => {
      expectOk(await send(student('s-1')));
      expectOk(await send(teacher('other')));
      expectRefusal(await send(student('s-9')), 404, 'not_found');
    },
  );

  it('answers 401 to a request without a token', async () => {
    expectRefusal(await fixture.raw().get(`/clazz/${clazz.id}`), 401, 'unauthenticated');
  });

  it('refuses a change of a class or a lesson with an old version in If-Match', async () => {
    const old = { 'if-match': '"99"' };
    for (const answer of [
      await supervisor().patch(`/clazz/${clazz.id}`, { name: 'x' }, old),
      await supervisor().post(`/clazz/${clazz.id}/complete`, {}, old),
      await supervisor().post(`/clazz/${clazz.id}/cancel`, {}, old),
      await supervisor().put(`/clazz/${clazz.id}/assistants`, { teacher_ids: [] }, old),
      await supervisor().patch(`/clazz/lesson/${lesson.id}`, { room: 'x' }, old),
      await supervisor().post(`/clazz/lesson/${lesson.id}/cancel`, {}, old),
    ]) {
      expectRefusal(answer, 412, 'version_mismatch');
    }
    await expectNoChange();
  });
});

describe('a request that is repeated with its Idempotency-Key', () => {
  const sendTwice = async <const P extends string>(path: P, body: object) => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await supervisor().post(path, body, headers);
    const again = await supervisor().post(path, body, headers);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expectRefusal(await supervisor().post(path, { ...body, reason: 'other' }, headers), 422, 'idempotency_mismatch');
    return first.body;
  };

  it('enrols, schedules, transfers and cancels once', async () => {
    const api = supervisor();
    const { id } = await newClazz(api, { lead_teacher_id: 'once' });
    const wanted = { student_ids: ['once'] };
    const headers = { 'idempotency-key': 'enrol-once' };
    const first = expectOk(await api.post(`/clazz/${id}/student`, wanted, headers), 201);
    expect(expectOk(await api.post(`/clazz/${id}/student`, wanted, headers), 201)).toEqual(first);
    const { items } = await sendTwice(`/clazz/${id}/lesson/series`, { ...SERIES, starts_on: '2036-01-01' });
    expect(expectOk(await api.get(`/clazz/${id}/lesson`)).items).toHaveLength(2);
    await sendTwice(`/clazz/lesson/${items[0]?.id}/cancel`, {});
    await sendTwice(`/clazz/${id}/student/once/transfer`, { to_clazz_id: target.id });
    expect(expectOk(await api.get(`/clazz/${id}/student`)).items).toMatchObject([{ status: 'transferred' }]);
  });
});
