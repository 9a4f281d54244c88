import { randomUUID } from 'node:crypto';
import { hourCalls, leaveCalls, ledgerCalls, policyCalls, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codesOf, expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import type { Answer, HeaderValues } from '../../../tools/proofs/test/http.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { allOf, sumsAgree } from '../../../tools/proofs/test/sums.ts';
import { brokenInvariants } from './invariants.ts';
import { MONDAY, startSchool, createSchoolInNewOrg, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

const all = (students: string[], mark: string): Record<string, string> =>
  Object.fromEntries(students.map((student) => [student, mark]));
const statusesOf = (answers: readonly Answer[]): string[] => [...new Set(codesOf(answers))];

describe('parallel requests', () => {
  it('with the same roll call charge students once', async () => {
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

  it('of roll calls, transfers, grants and leave for the same students neither lose nor double hours', async () => {
    const students = school.students(6);
    const clazzes = await Promise.all([school.classOf(students), school.classOf(students)]);
    const [one, two, three] = [
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
        school.submit(one.id, wanted),
        school.submit(two.id, mixed),
        school.submit(three.id, wanted),
        school.supervisor.post('/clazz/hour/transfer', { from_student_id: first, to_student_id: second, ...move }),
        school.supervisor.post('/clazz/hour/transfer', { from_student_id: second, to_student_id: first, ...move }),
        school.supervisor.post('/clazz/hour/grant', { student_id: first, hours: '1' }),
        school.student(first).post('/clazz/leave', { lesson_id: one.id, reason: `ill ${round}` }),
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

  it('of sales, refunds and transfers on the same accounts are each stored once, or not at all', async () => {
    const { org, school: shop } = createSchoolInNewOrg(fixture, clock);
    const students = shop.students(5);
    const paid = { price_minor: 1_000, currency: 'EUR' };
    const refund = async (student_id: string) => {
      const { quote_id } = await shop.supervisor.ok(hourCalls.quoteRefund, { body: { student_id } });
      return () => shop.supervisor.outcome(hourCalls.refundHours, { body: { quote_id } });
    };
    let [sold, refundedMinor] = [0, 0];
    for (let round = 0; round < 4; round += 1) {
      const sale = (to: readonly string[]) => () =>
        shop.supervisor.outcome(hourCalls.grantHoursInBulk, {
          body: { grants: to.map((student_id) => ({ student_id, hours: '2', ...paid })) },
        });
      const move = (n: number) => () =>
        shop.supervisor.outcome(hourCalls.transferHours, {
          body: {
            from_student_id: students[n % 5] ?? '',
            to_student_id: students[(n + 1) % 5] ?? '',
            hours: '0.75',
            reason: 'siblings',
          },
        });
      const refunds = await Promise.all(students.map(refund));
      const sales = [sale(students), sale(students.toReversed())];
      // The order of the kinds rotates by round, so that each kind is sent first in some round.
      const moves = students.map((_student, n) => move(n));
      const [first, second, third] = [0, 1, 2].map((n) => [moves, refunds, sales][(n + round) % 3] ?? []);
      const work = [...(first ?? []), ...(second ?? []), ...(third ?? []), ...refunds];
      const outcomes = await Promise.all(work.map((send) => send()));
      const codes = new Set(outcomes.map(({ code }) => code));
      expect([...codes].filter((code) => !['done', 'quote_stale', 'insufficient_hours'].includes(code))).toEqual([]);
      for (const outcome of outcomes) {
        if (outcome.code !== 'done') continue;
        if ('items' in outcome.body) sold += outcome.body.items.length;
        if ('amount_minor' in outcome.body) refundedMinor += outcome.body.amount_minor;
      }
    }
    expect(sold).toBe(4 * 2 * students.length);
    const { money } = await shop.supervisor.ok(ledgerCalls.getHourSummary, {});
    expect(money).toEqual([{ currency: 'EUR', sold_minor: sold * 1_000, refunded_minor: refundedMinor }]);
    const entries = await allOf((cursor) => shop.supervisor.ok(ledgerCalls.listHourEntries, { query: { cursor } }));
    expect(entries.filter((it) => it.kind === 'grant')).toHaveLength(sold);
    await sumsAgree(shop.supervisor, 2);
    // The numbers of receipts have no gaps and no duplicates.
    const receipts = await fixture.sql<{ number: number }>(
      'select number from clazz.receipt where org_id = $1 order by number',
      [org],
    );
    const withMoney = entries.filter((it) => it.price_minor !== null && it.kind !== 'transfer_in');
    expect(receipts.map(({ number }) => number)).toEqual(withMoney.map((_it, n) => n + 1));
    expect(await brokenInvariants(fixture)).toEqual([]);
  });

  it('of a roll call and a cancellation of its lesson leave no charge', async () => {
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

  it('that decide the same leave are refused after the first', async () => {
    const [student] = school.students(1) as [string];
    const clazz_id = await school.classOf([student]);
    const lesson = await school.lesson(clazz_id, 40);
    const request = { body: { lesson_id: lesson.id, reason: 'x' } };
    const { id } = singleElement((await school.student(student).ok(leaveCalls.requestLeave, request)).items);
    const decisions = ['approve', 'reject', 'approve', 'reject'] as const;
    const answers = await Promise.all(
      decisions.map((decision) => school.teacher.post(`/clazz/leave/${id}/${decision}`)),
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
  it('replays the answer of every write without a second effect', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const [past, future, spare] = [
      await school.lesson(clazz_id, -2),
      await school.lesson(clazz_id, 40),
      await school.lesson(await school.classOf([]), 60),
    ];
    await school.grant(ann, '9', { price_minor: 900, currency: 'EUR' });
    const { supervisor } = school;
    const quote = await supervisor.ok(hourCalls.quoteRefund, { body: { student_id: bob } });
    const transfer = { from_student_id: ann, to_student_id: bob, hours: '1', reason: 'x' };
    const rollCall = { path: { lesson_id: past.id }, body: { marks: [{ student_id: ann, mark: 'late' as const }] } };
    const request = { student_id: ann, lesson_id: future.id, reason: 'x' };
    const requests: ((key: HeaderValues) => Promise<{ status: number; body: unknown }>)[] = [
      (key) => supervisor.answer(hourCalls.grantHours, { body: { student_id: ann, hours: '1' } }, key),
      (key) =>
        supervisor.answer(hourCalls.adjustHours, { body: { student_id: ann, hours: '-0.25', reason: 'x' } }, key),
      (key) => supervisor.answer(hourCalls.transferHours, { body: transfer }, key),
      (key) => supervisor.answer(hourCalls.quoteRefund, { body: { student_id: ann } }, key),
      (key) => supervisor.answer(rollCallCalls.submitRollCall, rollCall, key),
      (key) => supervisor.answer(leaveCalls.requestLeave, { body: request }, key),
      (key) => supervisor.answer(policyCalls.putPolicy, { body: { zone: 'Asia/Shanghai' } }, key),
    ];
    const state = () =>
      fixture.sql(`
      select (select count(*) from clazz.hour_entry) as entries, (select count(*) from clazz.mark_revision) as marks,
        (select count(*) from clazz.leave) as leaves, (select count(*) from clazz.policy) as policies,
        (select count(*) from clazz.refund_quote) as quotes, (select count(*) from clazz.log_entry) as events,
        (select sum(version) from clazz.leave) as versions`);
    for (const send of requests) {
      const key = { 'idempotency-key': randomUUID() };
      const first = await send(key);
      const before = await state();
      const again = await Promise.all([send(key), send(key), send(key)]);
      for (const answer of again) expect([answer.status, answer.body]).toEqual([first.status, first.body]);
      expect(await state()).toEqual(before);
    }
    const leave = singleElement((await school.teacher.ok(leaveCalls.listLeaves, { query: { student_id: ann } })).items);
    for (const action of ['approve', 'make-up', 'cancel'] as const) {
      const key = { 'idempotency-key': randomUUID() };
      const body = action === 'make-up' ? { lesson_id: spare.id } : {};
      const send = () => supervisor.post(`/clazz/leave/${leave.id}/${action}`, body, key);
      const first = expectOk(await send());
      const before = await state();
      expect(expectOk(await send())).toEqual(first);
      expect(await state()).toEqual(before);
    }
    const refund = { body: { quote_id: quote.quote_id } };
    const problem = await supervisor.refused(hourCalls.refundHours, refund, { 'idempotency-key': 'once' });
    expect(problem.code).toBe('quote_stale');
    expect(await brokenInvariants(fixture)).toEqual([]);
  });
});
