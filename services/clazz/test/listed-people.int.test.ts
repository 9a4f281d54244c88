import { enrolmentCalls, policyCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { transactionStatements } from './count-statements.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);

const putMembers = (role: string, ...ids: string[]) =>
  supervisor().put('/ws/member/bulk', {
    members: ids.map((user_id) => ({ user_id, role, display_name: user_id })),
  });
const deactivate = (id: string) => supervisor().post(`/ws/member/${id}/deactivate`, { reason: 'x' });
const at = (day: number, hour = 9): string =>
  `2060-01-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000Z`;

let clazz_id: string;
let other_id: string;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'] });
  await putMembers('STUDENT', 'ann', 'bob', 'left');
  await putMembers('TEACHER', 'tom', 'tia', 'gone');
  clazz_id = (await newClazz(supervisor(), { lead_teacher_id: 'tom' })).id;
  other_id = (await newClazz(supervisor(), { lead_teacher_id: 'tia' })).id;
  await enrolNow(supervisor(), clazz_id, 'ghost', 'ann', 'left');
  await deactivate('left');
  await deactivate('gone');
  await supervisor().ok(policyCalls.putPolicy, { body: { people: 'listed' } });
});
afterAll(() => fixture?.stop());

describe('the policy `people: listed`', () => {
  /** The error code with the paths of people who are not active members of the right role. */
  const problemOf = async (
    answer: Promise<{ status: number; body: { code?: string; errors?: { path: string }[] } }>,
  ) => {
    const { body } = await answer;
    return [body.code, body.errors?.map(({ path }) => path)];
  };
  const notFound = (...paths: string[]) => ['not_found', paths];
  const post = (path: string, body: object) => supervisor().post(path, body);
  const enrol = (...student_ids: string[]) => post(`/clazz/${other_id}/student`, { student_ids });

  it('allows only active students of the directory to be enrolled, resumed and transferred', async () => {
    expect(await problemOf(enrol('bob', 'ghost', 'left', 'tom'))).toEqual(
      notFound(...[1, 2, 3].map((n) => `/body/student_ids/${n}`)),
    );
    expect((await enrol('bob')).status).toBe(201);
    const transfer = (id: string) => post(`/clazz/${clazz_id}/student/${id}/transfer`, { to_clazz_id: other_id });
    expect(await problemOf(transfer('ghost'))).toEqual(notFound('/path/student_id'));
    expect(await problemOf(post(`/clazz/${clazz_id}/student/left/resume`, {}))).toEqual(notFound('/path/student_id'));
    expect((await transfer('ann')).status).toBe(200);
  });

  it('allows only active students to receive or transfer hours and to take leave', async () => {
    const grant = (student_id: string) => post('/clazz/hour/grant', { student_id, hours: 2 });
    expect(await problemOf(grant('ghost'))).toEqual(notFound('/body/student_id'));
    expect(await problemOf(grant('tom'))).toEqual(notFound('/body/student_id'));
    expect((await grant('ann')).status).toBe(201);
    const move = (from_student_id: string, to_student_id: string) =>
      post('/clazz/hour/transfer', { from_student_id, to_student_id, hours: 1, reason: 'x' });
    expect(await problemOf(move('ghost', 'left'))).toEqual(notFound('/body/from_student_id', '/body/to_student_id'));
    expect((await move('ann', 'bob')).status).toBe(200);
    const adjust = (student_id: string, hours: number) =>
      post('/clazz/hour/adjust', { student_id, hours, reason: 'x' });
    expect(await problemOf(adjust('ghost', 1))).toEqual(notFound('/body/student_id'));
    expect((await adjust('left', -1)).status).toBe(200);
    const lesson = expectOk(await postLesson(supervisor(), clazz_id, at(1)), 201);
    const leave = (student_id: string) => post('/clazz/leave', { student_id, lesson_id: lesson.id, reason: 'x' });
    expect(await problemOf(leave('ghost'))).toEqual(notFound('/body/student_id'));
  });

  it('allows only active teachers for classes, lessons and substitutions, also as the default of a class', async () => {
    const create = (lead_teacher_id: string) => post('/clazz', { name: 'x', lead_teacher_id });
    for (const id of ['nobody', 'gone', 'ann']) {
      expect(await problemOf(create(id))).toEqual(notFound('/body/lead_teacher_id'));
    }
    const student_ids = ['bob', 'ghost', 'left', 'tia'];
    expect(
      await problemOf(post('/clazz', { name: 'x', lead_teacher_id: 'gone', student_ids, activate: true })),
    ).toEqual(notFound('/body/lead_teacher_id', ...[1, 2, 3].map((n) => `/body/student_ids/${n}`)));
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'tia' });
    const lead = (lead_teacher_id: string) => supervisor().patch(`/clazz/${id}`, { lead_teacher_id });
    expect(await problemOf(lead('gone'))).toEqual(notFound('/body/lead_teacher_id'));
    const assist = (...teacher_ids: string[]) => supervisor().put(`/clazz/${id}/assistants`, { teacher_ids });
    expect(await problemOf(assist('tom', 'gone'))).toEqual(notFound('/body/teacher_ids/1'));
    expect((await assist('tom')).status).toBe(200);
    const lesson = (day: number, teacher_id?: string) => postLesson(supervisor(), id, at(day), { teacher_id });
    expect(await problemOf(lesson(2, 'gone'))).toEqual(notFound('/body/teacher_id'));
    const given = expectOk(await lesson(2), 201);
    const substitute = (teacher_id: string) => supervisor().patch(`/clazz/lesson/${given.id}`, { teacher_id });
    expect(await problemOf(substitute('gone'))).toEqual(notFound('/body/teacher_id'));
    expect((await substitute('tom')).status).toBe(200);
    const rule = { starts_on: '2060-02-01', start_time: '10:00', duration_minutes: 60, zone: 'UTC' };
    const series = (teacher_id?: string) =>
      post(`/clazz/${id}/lesson/series`, { ...rule, rrule: 'FREQ=DAILY', count: 2, teacher_id });
    expect(await problemOf(series('gone'))).toEqual(notFound('/body/teacher_id'));
    expect((await series()).status).toBe(201);
    const range = { from: at(2, 0), to: at(3, 0) };
    const requestSubstitution = (body: object) => post('/clazz/substitution', { teacher_id: 'tom', ...range, ...body });
    expect(await problemOf(requestSubstitution({ with: 'gone' }))).toEqual(notFound('/body/with'));
    expect((await requestSubstitution({ with: 'tia' })).status).toBe(200);
    await putMembers('TEACHER', 'brief');
    expect((await lead('brief')).status).toBe(200);
    await deactivate('brief');
    expect(await problemOf(lesson(20))).toEqual(notFound('/body/teacher_id'));
    // A change without people is not checked.
    expect((await supervisor().patch(`/clazz/${id}`, { name: 'y' })).status).toBe(200);
  });
});

describe('restoring lessons under the policy `people: listed`', () => {
  it('does not restore a lesson of a teacher who is inactive meanwhile', async () => {
    await putMembers('TEACHER', 'stays', 'leaves');
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'stays' });
    const [theirs, other] = [
      expectOk(await postLesson(supervisor(), id, at(25), { teacher_id: 'leaves' }), 201),
      expectOk(await postLesson(supervisor(), id, at(26)), 201),
    ];
    const restore = () => supervisor().post(`/clazz/lesson/${theirs.id}/restore`, { reason: 'x' });
    expectOk(await supervisor().post(`/clazz/lesson/${theirs.id}/cancel`));
    expectOk(await deactivate('leaves'));
    expect(expectRefusal(await restore(), 404, 'not_found').errors).toMatchObject([{ path: '/path/lesson_id' }]);
    expectOk(await supervisor().post('/ws/member/leaves/activate', {}));
    expectOk(await restore());
    expectOk(await supervisor().post(`/clazz/${id}/complete`));
    expectOk(await deactivate('leaves'));
    const reopened = expectOk(await supervisor().post(`/clazz/${id}/reopen`, { reason: 'x' }));
    expect(reopened.restored_lessons).toEqual([other.id]);
    expect(reopened.not_restored).toMatchObject([{ lesson_id: theirs.id, why: 'clash', reason: 'not_found' }]);
  });
});

describe('parallel requests under the policy `people: listed`', () => {
  it('name every remaining lesson of a teacher who is deactivated', async () => {
    for (let round = 0; round < 4; round += 1) {
      const teacher_id = `racer-${round}`;
      await putMembers('TEACHER', teacher_id);
      const plan = (n: number) => postLesson(supervisor(), clazz_id, at(10 + round, 8 + n), { teacher_id });
      const [first, left, ...rest] = await Promise.all([plan(0), deactivate(teacher_id), plan(1), plan(2), plan(3)]);
      const codes = [first, ...rest].map(codeOf);
      expect(codes.filter((code) => code !== '201' && code !== '404 not_found')).toEqual([]);
      const lessons = await fixture.sql<{ id: string }>(
        "select id from clazz.lesson where teacher_id = $1 and status = 'scheduled' order by starts_at",
        [teacher_id],
      );
      const named: readonly { id: string }[] = expectOk(left).lessons;
      expect(named.map(({ id }) => id)).toEqual(lessons.map(({ id }) => id));
      expect(codes.filter((code) => code === '201')).toHaveLength(lessons.length);
    }
  });

  it('lock people before their schedule in each change of a teacher, so that none waits for the other', async () => {
    const day = { from: at(20, 0), to: at(21, 0) };
    const substitute = (body: object) =>
      supervisor().post('/clazz/substitution', { teacher_id: 'tia', ...day, ...body });
    let chosen = '';
    const changes: Record<string, () => Promise<unknown>> = {
      'a lesson is created': async () => expectOk(await postLesson(supervisor(), other_id, at(20)), 201),
      'the best substitutes': async () => {
        chosen = singleElement(expectOk(await substitute({})).items).teacher_id;
      },
      'one substitute': async () => expectOk(await substitute({ teacher_id: chosen, with: 'tia' })),
    };
    for (const [change, run] of Object.entries(changes)) {
      const sent = await transactionStatements(/own_turn.*'schedule '/s, run);
      const locks = sent.flatMap((text) => /from member .*for share|'schedule '/s.exec(text)?.[0].slice(0, 11) ?? []);
      expect(locks, change).toEqual(['from member', "'schedule '"]);
    }
  });

  it('wait for no teacher that is busy when the best substitute is chosen', async () => {
    await putMembers('TEACHER', 'busy', 'spare');
    expectOk(await postLesson(supervisor(), other_id, at(22), { teacher_id: 'tia' }), 201);
    expectOk(await postLesson(supervisor(), clazz_id, at(22), { teacher_id: 'busy' }), 201);
    const other = new pg.Client({ connectionString: fixture.adminUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query("select from clazz.member where user_id = 'busy' for update");
      const range = { teacher_id: 'tia', from: at(22, 0), to: at(23, 0) };
      expect(expectOk(await supervisor().post('/clazz/substitution', range)).items).toHaveLength(1);
    } finally {
      await other.end();
    }
  });

  it('never enrol a deleted or inactive student, and never grant hours to a deleted one', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [pupil, quitter] = [`pupil-${round}`, `quitter-${round}`];
      await putMembers('STUDENT', pupil, quitter);
      const enrol = (id: string, student_id: string) =>
        supervisor().post(`/clazz/${id}/student`, { student_ids: [student_id] });
      const grant = (student_id: string) => supervisor().post('/clazz/hour/grant', { student_id, hours: 1 });
      const [deleted, ...used] = await Promise.all([
        supervisor().delete(`/ws/member/${pupil}`),
        enrol(clazz_id, pupil),
        grant(pupil),
      ]);
      const isUsed = used.some(({ status }) => status === 201);
      expect([codeOf(deleted), isUsed]).toEqual(isUsed ? ['409 in_use', true] : ['204', false]);
      await Promise.all([deactivate(quitter), enrol(clazz_id, quitter), enrol(other_id, quitter)]);
      for (const id of [clazz_id, other_id]) {
        const { items } = await supervisor().ok(enrolmentCalls.listEnrolments, {
          path: { id },
          query: { limit: '100' },
        });
        expect(items.filter((it) => it.student_id === quitter && it.status === 'active')).toEqual([]);
      }
    }
  });
});
