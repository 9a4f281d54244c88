import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codesOf, ok } from '../../../tools/test/answers.ts';
import type { Answer } from '../../../tools/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { brokenInvariants } from './invariants.ts';
import { type School, schoolOn } from './school.ts';

let fixture: Fixture;
let school: School;
const now = new Date('2026-03-02T10:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: () => now });
  school = schoolOn(fixture, () => now);
});
afterAll(() => fixture?.stop());

const all = (students: string[], mark: string): Record<string, string> =>
  Object.fromEntries(students.map((student) => [student, mark]));
const statusesOf = (answers: Answer[]): string[] => [...new Set(codesOf(answers))];

describe('at the same time', () => {
  it('the same roll call many times charges once', async () => {
    const students = school.students(12);
    const clazz_id = await school.classOf(students);
    const lesson = await school.lesson(clazz_id, -2);
    for (const student of students) await school.grant(student, '2');
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => school.submit(lesson.id, all(students, 'present'))),
    );
    expect(statusesOf(answers)).toEqual(['200']);
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    for (const student of students) {
      expect((await school.entries(student)).map((entry) => entry.kind)).toEqual(['grant', 'consume']);
    }
    expect(await brokenInvariants(fixture)).toEqual([]);
  });

  it('roll calls, corrections, transfers, grants and leave on the same students lose and double nothing', async () => {
    const students = school.students(6);
    const clazzes = await Promise.all([school.classOf(students), school.classOf(students)]);
    const lessons = [
      await school.lesson(clazzes[0], -2),
      await school.lesson(clazzes[0], -4, { hours: '1.50' }),
      await school.lesson(clazzes[1], -6, { hours: '0.75' }),
    ];
    const [first, second] = students as [string, string];
    for (const student of students) await school.grant(student, '3');
    const marks = ['present', 'absent', 'leave', 'trial'];
    const work: Promise<Answer>[] = [];
    for (let round = 0; round < 12; round += 1) {
      const wanted = all(students, marks[round % marks.length] ?? 'present');
      const mixed = all(
        round % 2 === 0 ? students : students.toReversed(),
        marks[(round + 1) % marks.length] ?? 'late',
      );
      const move = { hours: '0.50', reason: 'siblings' };
      work.push(
        school.submit(lessons[0].id, wanted),
        school.submit(lessons[1].id, mixed),
        school.submit(lessons[2].id, wanted),
        school.supervisor.post('/clazz/hour/transfer', { from_student_id: first, to_student_id: second, ...move }),
        school.supervisor.post('/clazz/hour/transfer', { from_student_id: second, to_student_id: first, ...move }),
        school.supervisor.post('/clazz/hour/grant', { student_id: first, hours: '1' }),
        school.student(first).post('/clazz/leave', { lesson_id: lessons[0].id, reason: `ill ${round}` }),
      );
    }
    const answers = await Promise.all(work);
    const allowed = new Set(['200', '201', '409 insufficient_hours', '409 leave_exists']);
    expect(statusesOf(answers).filter((code) => !allowed.has(code))).toEqual([]);
    expect(await brokenInvariants(fixture)).toEqual([]);
    const granted = 6 * 3 + 12;
    const charged = await fixture.sql<{ total: string }>(
      `select coalesce(sum(-amount), 0)::text as total from clazz.hour_entry
       where student_id = any($1) and lesson_id is not null`,
      [students],
    );
    const balances = await Promise.all(students.map((student) => school.balance(student)));
    const left = balances.reduce((sum, balance) => sum + Math.round(Number(balance) * 100), 0);
    expect(left).toBe(granted * 100 - Math.round(Number(charged[0]?.total) * 100));
  });

  it('taking roll and cancelling the lesson end in one of both orders', async () => {
    for (let round = 0; round < 6; round += 1) {
      const students = school.students(3);
      const clazz_id = await school.classOf(students);
      const lesson = await school.lesson(clazz_id, -2);
      const [taken, cancelled] = await Promise.all([
        school.submit(lesson.id, all(students, 'present')),
        school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`, { reason: 'rain' }),
      ]);
      expect(cancelled.status).toBe(200);
      expect([200, 409]).toContain(taken.status);
      for (const student of students) expect(await school.balance(student)).toBe('0.00');
    }
    expect(await brokenInvariants(fixture)).toEqual([]);
  });

  it('two decisions about one leave: the first counts', async () => {
    const students = school.students(1);
    const clazz_id = await school.classOf(students);
    const lesson = await school.lesson(clazz_id, 40);
    const asked = await school
      .student(students[0] as string)
      .post('/clazz/leave', { lesson_id: lesson.id, reason: 'x' });
    const { id } = ok(asked, 201).items[0];
    const answers = await Promise.all(
      ['approve', 'reject', 'approve', 'reject'].map((what) => school.teacher.post(`/clazz/leave/${id}/${what}`)),
    );
    expect(codesOf(answers)).toEqual([
      '200',
      '409 invalid_transition',
      '409 invalid_transition',
      '409 invalid_transition',
    ]);
  });
});

describe('the same Idempotency-Key', () => {
  it('answers every write again without a second effect', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const [past, future, spare] = [
      await school.lesson(clazz_id, -2),
      await school.lesson(clazz_id, 40),
      await school.lesson(clazz_id, 60),
    ];
    await school.grant(ann, '9', { price_minor: 900 });
    const path = (what: string) => `/clazz/hour/${what}`;
    const { supervisor } = school;
    const quote = ok(await supervisor.post(path('refund-quote'), { student_id: bob }), 201);
    const requests: ((headers: Record<string, string>) => Promise<Answer>)[] = [
      (key) => supervisor.post(path('grant'), { student_id: ann, hours: '1' }, key),
      (key) => supervisor.post(path('adjust'), { student_id: ann, hours: '-0.25', reason: 'x' }, key),
      (key) =>
        supervisor.post(path('transfer'), { from_student_id: ann, to_student_id: bob, hours: '1', reason: 'x' }, key),
      (key) => supervisor.post(path('refund-quote'), { student_id: ann }, key),
      (key) =>
        supervisor.put(`/clazz/lesson/${past.id}/roll-call`, { marks: [{ student_id: ann, mark: 'late' }] }, key),
      (key) => supervisor.post('/clazz/leave', { student_id: ann, lesson_id: future.id, reason: 'x' }, key),
      (key) => supervisor.put('/clazz/policy', { zone: 'Asia/Shanghai' }, key),
    ];
    const state = () =>
      fixture.sql(`
      select (select count(*) from clazz.hour_entry) as entries, (select count(*) from clazz.mark_revision) as marks,
        (select count(*) from clazz.leave) as leaves, (select count(*) from clazz.policy) as policies,
        (select count(*) from clazz.refund_quote) as quotes, (select count(*) from clazz.log_entry) as events,
        (select sum(version) from clazz.leave) as versions`);
    for (const request of requests) {
      const key = { 'idempotency-key': randomUUID() };
      const first = await request(key);
      expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
      const before = await state();
      const again = await Promise.all([request(key), request(key), request(key)]);
      for (const answer of again) expect([answer.status, answer.body]).toEqual([first.status, first.body]);
      expect(await state()).toEqual(before);
    }
    const leave = ok(await school.teacher.get(`/clazz/leave?student_id=${ann}`)).items[0];
    const decisions: string[] = ['approve', 'make-up', 'cancel'];
    for (const what of decisions) {
      const key = { 'idempotency-key': randomUUID() };
      const body = what === 'make-up' ? { lesson_id: spare.id } : {};
      const send = () => supervisor.post(`/clazz/leave/${leave.id}/${what}`, body, key);
      const first = ok(await send());
      const before = await state();
      expect(ok(await send())).toEqual(first);
      expect(await state()).toEqual(before);
    }
    const refund = () => supervisor.post(path('refund'), { quote_id: quote.quote_id }, { 'idempotency-key': 'once' });
    expect((await refund()).body.code).toBe('quote_stale');
    expect(await brokenInvariants(fixture)).toEqual([]);
  });
});
