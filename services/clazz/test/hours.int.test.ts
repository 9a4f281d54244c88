import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());
const newStudent = (): string => school.students(1)[0] as string;
const DAY = 24;
const NOTHING = {
  granted: '0.00',
  adjusted: '0.00',
  transferred_in: '0.00',
  transferred_out: '0.00',
  consumed: '0.00',
  refunded: '0.00',
  expired: '0.00',
  remaining: '0.00',
};
const kindsOf = (entries: { kind: string; amount: string }[]) => entries.map(({ kind, amount }) => `${kind} ${amount}`);

describe('lesson hours', () => {
  it('are granted as lots, and an unknown student has an empty account', async () => {
    const ann = newStudent();
    expect(await school.account(ann)).toEqual({
      student_id: ann,
      student_name: null,
      balance: '0.00',
      hours: NOTHING,
      lots: [],
    });
    const lot = await school.grant(ann, '20', {
      price_minor: 100_000,
      currency: 'EUR',
      expires_at: '2027-01-01T00:00:00Z',
    });
    expect(lot).toMatchObject({ kind: 'paid', granted: '20.00', remaining: '20.00', balance: '20.00' });
    expect(await school.account(ann)).toMatchObject({
      balance: '20.00',
      lots: [
        { id: lot.id, price_minor: 100_000, currency: 'EUR', expires_at: '2027-01-01T00:00:00.000Z', package_id: null },
      ],
    });
    for (const hours of ['0', '-1', '1.234', 'x']) {
      expectRefusal(
        await school.supervisor.post('/clazz/hour/grant', { student_id: ann, hours }),
        400,
        'invalid_request',
      );
    }
  });

  it('keep the package version they were bought with after the package is changed and published again', async () => {
    const ann = newStudent();
    const base = '/clazz/course-package';
    const created = expectOk(
      await school.supervisor.post(base, {
        title: 'Ten',
        total_hours: '10',
        price_minor: 9_000,
        currency: 'EUR',
        validity_days: 90,
      }),
      201,
    );
    const grant = (fields: object) =>
      school.supervisor.post('/clazz/hour/grant', { student_id: ann, hours: '5', ...fields });
    const unpublished = expectRefusal(await grant({ package_id: created.id }), 404, 'not_found');
    expect(unpublished.errors).toMatchObject([{ path: '/body/package_id' }]);
    const course = expectOk(await school.supervisor.post('/ws/course', { title: 'Algebra' }), 201);
    expectOk(
      await school.supervisor.post(`${base}/item/sync`, {
        package_id: created.id,
        items: [{ course_id: course.id, title: 'a', hours: 1 }],
      }),
    );
    expectOk(await school.supervisor.post(`${base}/publish/${created.id}`));
    const lot = expectOk(await grant({ package_id: created.id, package_version: 1 }), 201);
    expect(lot).toMatchObject({
      package_version: 1,
      price_minor: 4_500,
      currency: 'EUR',
      expires_at: '2026-06-01T00:00:00.000Z',
    });
    expectOk(await school.supervisor.post(`${base}/unpublish/${created.id}`));
    expectOk(await school.supervisor.patch(`${base}/${created.id}`, { price_minor: 1, total_hours: '1' }));
    expectOk(await school.supervisor.post(`${base}/publish/${created.id}`));
    expect((await school.account(ann)).lots).toMatchObject([
      { package_version: 1, price_minor: 4_500, granted: '5.00' },
    ]);
    expect(expectOk(await grant({ package_id: created.id }), 201).package_version).toBe(2);
    expectRefusal(await grant({ package_id: created.id, package_version: 3 }), 404, 'not_found');
    expectRefusal(await grant({ package_version: 3 }), 400, 'invalid_request');
    expectRefusal(await grant({ course_id: randomUUID() }), 404, 'not_found');
  });

  it('are drawn gifts first, then by expiry, then by age', async () => {
    const ann = newStudent();
    const clazz_id = await school.classOf([ann]);
    const old = await school.grant(ann, '1');
    const soon = await school.grant(ann, '1', { expires_at: school.inHours(DAY * 9) });
    const gift = await school.grant(ann, '1', { kind: 'gift' });
    const lesson = await school.lesson(clazz_id, -2, { hours: '2.50' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const consumed = (await school.entries(ann)).filter((entry) => entry.kind === 'consume');
    expect(consumed.map(({ lot_id, amount }) => [lot_id, amount])).toEqual([
      [gift.id, '-1.00'],
      [soon.id, '-1.00'],
      [old.id, '-0.50'],
    ]);
  });

  it('of a course are charged only for classes of that course', async () => {
    const ann = newStudent();
    const course = expectOk(await school.supervisor.post('/ws/course', { title: 'Chess' }), 201);
    const chess = await school.classOf([ann], { course_id: course.id });
    const other = await school.classOf([ann]);
    await school.grant(ann, '5', { course_id: course.id });
    const first = await school.lesson(chess, -2);
    const second = await school.lesson(other, -4);
    expectOk(await school.submit(first.id, { [ann]: 'present' }));
    expectOk(await school.submit(second.id, { [ann]: 'present' }));
    expect(await school.account(ann)).toMatchObject({ balance: '3.00', lots: [{ remaining: '4.00' }] });
  });

  it('expire once when several requests read the account in parallel', async () => {
    const ann = newStudent();
    await school.grant(ann, '3', { expires_at: school.inHours(DAY) });
    await school.runHoursLater(DAY, async () => {
      const seen = await Promise.all(Array.from({ length: 6 }, () => school.balance(ann)));
      expect(seen).toEqual(Array.from({ length: 6 }, () => '0.00'));
      expect(kindsOf(await school.entries(ann))).toEqual(['grant 3.00', 'expire -3.00']);
    });
  });

  it('create one account when the first grants arrive in parallel', async () => {
    const ann = newStudent();
    await Promise.all(Array.from({ length: 6 }, () => school.grant(ann, '1')));
    expect(await school.balance(ann)).toBe('6.00');
    expect(kindsOf(await school.entries(ann))).toEqual(Array.from({ length: 6 }, () => 'grant 1.00'));
  });

  it('can be transferred in parallel from several students to students without an account', async () => {
    const [givers, takers] = [school.students(6), school.students(4)];
    for (const giver of givers) await school.grant(giver, String(takers.length));
    const moves = givers.flatMap((from_student_id) =>
      takers.map((to_student_id) => ({ from_student_id, to_student_id, hours: '1', reason: 'siblings' })),
    );
    const answers = await Promise.all(moves.map((move) => school.supervisor.post('/clazz/hour/transfer', move)));
    for (const answer of answers) expectOk(answer);
    for (const taker of takers) expect(await school.balance(taker)).toBe(`${givers.length}.00`);
    for (const giver of givers) expect(await school.balance(giver)).toBe('0.00');
  });

  it('are given back once, with or without a draw row of the charge', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const [first, second] = [await school.lesson(clazz_id, -4, { hours: '2' }), await school.lesson(clazz_id, -2)];
    // Part of the second lesson is owed. Hours given back from the first lesson settle this debt from the same lot.
    for (const student of [ann, bob]) await school.grant(student, '2.5');
    for (const { id } of [first, second]) expectOk(await school.submit(id, { [ann]: 'present', [bob]: 'present' }));
    const draws = 'from clazz.hour_draw where student_id = $1 and lesson_id is not null and lot_id is not null';
    await fixture.sql(`delete ${draws}`, [ann]);
    await fixture.sql(
      `insert into clazz.hour_draw (org_id, student_id, id, seq, lesson_id, mark_revision, lot_id, amount)
       select org_id, student_id, id, seq, lesson_id, mark_revision, lot_id, -amount from clazz.hour_entry
       where student_id = $1 and kind = 'consume' and lot_id is not null on conflict do nothing`,
      [bob],
    );
    const cancel = (id: string) => school.supervisor.post(`/clazz/lesson/${id}/cancel`, { reason: 'nobody came' });
    expectOk(await cancel(first.id));
    for (const student of [ann, bob]) expect(await school.balance(student)).toBe('1.50');
    expectOk(await cancel(second.id));
    for (const student of [ann, bob]) {
      expect(await school.balance(student)).toBe('2.50');
      expect(kindsOf(await school.entries(student))).toEqual([
        'grant 2.50',
        'consume -2.00',
        'consume -0.50',
        'consume -0.50',
        'reverse 2.00',
        'settle 0.50',
        'settle -0.50',
        'reverse 1.00',
      ]);
    }
  });

  it('are charged for a lesson that began before they expired, also if its roll call is taken later', async () => {
    const ann = newStudent();
    const clazz_id = await school.classOf([ann]);
    const lot = await school.grant(ann, '3', { expires_at: school.inHours(DAY) });
    const [before, after] = [
      await school.lesson(clazz_id, DAY - 1, { hours: '2' }),
      await school.lesson(clazz_id, DAY),
    ];
    await school.runHoursLater(2 * DAY, async () => {
      expect(await school.balance(ann)).toBe('0.00');
      expectOk(await school.submit(before.id, { [ann]: 'present' }));
      expect(await school.account(ann)).toMatchObject({ balance: '0.00', lots: [{ remaining: '0.00' }] });
      expectOk(await school.submit(after.id, { [ann]: 'present' }));
      const entries = await school.entries(ann);
      expect(kindsOf(entries)).toEqual(['grant 3.00', 'expire -3.00', 'expire 2.00', 'consume -2.00', 'consume -1.00']);
      expect(entries.map((entry) => entry.lot_id)).toEqual([lot.id, lot.id, lot.id, lot.id, null]);
      expect(entries[2]?.lot_expires_at).toBe(lot.expires_at);
    });
  });

  it('return to the lot they were drawn from, whose expiry is extended if it is over', async () => {
    const ann = newStudent();
    const clazz_id = await school.classOf([ann]);
    const lot = await school.grant(ann, '3', { expires_at: school.inHours(DAY) });
    const lesson = await school.lesson(clazz_id, -2);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    await school.runHoursLater(2 * DAY, async () => {
      expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
      const until = school.inHours(30 * DAY);
      expect(await school.account(ann)).toMatchObject({
        balance: '1.00',
        lots: [{ id: lot.id, remaining: '1.00', expires_at: until }],
      });
      expect((await school.entries(ann)).at(-1)).toMatchObject({
        kind: 'reverse',
        lot_id: lot.id,
        lot_expires_at: until,
      });
    });
  });

  it('that are owed are settled by the next grant', async () => {
    const ann = newStudent();
    const clazz_id = await school.classOf([ann]);
    const lesson = await school.lesson(clazz_id, -2, { hours: '1.50' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const lot = await school.grant(ann, '10');
    expect(lot).toMatchObject({ remaining: '8.50', balance: '8.50' });
    const entries = await school.entries(ann);
    expect(kindsOf(entries)).toEqual(['consume -1.50', 'grant 10.00', 'settle 1.50', 'settle -1.50']);
    expect(entries.map((entry) => entry.lot_id)).toEqual([null, lot.id, null, lot.id]);
    expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
    expect(await school.account(ann)).toMatchObject({ balance: '10.00', lots: [{ id: lot.id, remaining: '10.00' }] });
  });

  it('are transferred to another student with their price and expiry', async () => {
    const [ann, bob] = [newStudent(), newStudent()];
    const expires_at = school.inHours(100 * DAY);
    await school.grant(ann, '3', { price_minor: 200, currency: 'EUR', expires_at });
    const move = (hours: string) =>
      school.supervisor.post('/clazz/hour/transfer', {
        from_student_id: ann,
        to_student_id: bob,
        hours,
        reason: 'siblings',
      });
    for (const part of [1, 2, 3]) expect(expectOk(await move('1')).to.balance).toBe(`${part}.00`);
    const { lots } = await school.account(bob);
    expect(lots.map((lot) => lot.price_minor ?? 0).reduce((a, b) => a + b)).toBe(200);
    expect(lots[0]?.expires_at).toBe(expires_at);
    const problem = expectRefusal(await move('0.01'), 409, 'insufficient_hours');
    expect(problem.students).toEqual([{ student_id: ann, balance: '0.00', needed: '0.01' }]);
    const same = { from_student_id: ann, to_student_id: ann, hours: '1', reason: 'x' };
    expectRefusal(await school.supervisor.post('/clazz/hour/transfer', same), 400, 'invalid_request');
  });

  it('are adjusted only with a reason', async () => {
    const ann = newStudent();
    const adjust = (hours: string, reason?: string) =>
      school.supervisor.post('/clazz/hour/adjust', { student_id: ann, hours, reason });
    expect(expectOk(await adjust('2', 'welcome')).balance).toBe('2.00');
    expect(expectOk(await adjust('-3.25', 'mistake')).balance).toBe('-1.25');
    expectRefusal(await adjust('1'), 400, 'invalid_request');
    expectRefusal(await adjust('0', 'nothing'), 400, 'invalid_request');
    expect(kindsOf(await school.entries(ann))).toEqual(['adjust 2.00', 'adjust -2.00', 'adjust -1.25']);
    expect(expectOk(await adjust('2', 'back')).balance).toBe('0.75');
    expect((await school.account(ann)).lots.at(-1)).toMatchObject({ remaining: '0.75' });
  });

  it('add up to the balance after charge, expiry, transfer, adjustment and refund', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const lesson = await school.lesson(await school.classOf([ann]), -2, { hours: '2' });
    await school.grant(ann, '3', { expires_at: school.inHours(DAY) });
    await school.grant(ann, '10', { price_minor: 1_000, currency: 'EUR' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    await school.runHoursLater(2 * DAY, async () => {
      const move = { from_student_id: ann, to_student_id: bob, hours: '4', reason: 'siblings' };
      expectOk(await school.supervisor.post('/clazz/hour/transfer', move));
      expectOk(
        await school.supervisor.post('/clazz/hour/adjust', { student_id: ann, hours: '-0.50', reason: 'mistake' }),
      );
      expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
      const { quote_id } = expectOk(await school.supervisor.post('/clazz/hour/refund-quote', { student_id: bob }), 201);
      expectOk(await school.supervisor.post('/clazz/hour/refund', { quote_id }));
      const [a, b] = [await school.account(ann), await school.account(bob)];
      const taken = { transferred_out: '4.00', expired: '1.00', adjusted: '-0.50' };
      expect(a.hours).toEqual({ ...NOTHING, granted: '13.00', ...taken, remaining: '7.50' });
      expect(b.hours).toEqual({ ...NOTHING, transferred_in: '4.00', refunded: '4.00' });
      expect(a.hours.remaining).toBe(a.balance);
    });
  });

  it('are refunded by a quote that shows its calculation and becomes stale when the lots change', async () => {
    const ann = newStudent();
    await school.grant(ann, '5', { kind: 'gift' });
    const lot = await school.grant(ann, '3', { price_minor: 1_000, currency: 'EUR' });
    const quote = async () =>
      expectOk(await school.supervisor.post('/clazz/hour/refund-quote', { student_id: ann }), 201);
    const first = await quote();
    expect(first).toMatchObject({ amount_minor: 1_000, currency: 'EUR' });
    expectOk(await school.supervisor.post('/clazz/hour/adjust', { student_id: ann, hours: '-6', reason: 'test' }));
    const refund = (quote_id: string) => school.supervisor.post('/clazz/hour/refund', { quote_id });
    expectRefusal(await refund(first.quote_id), 409, 'quote_stale');
    const second = await quote();
    expect(second.lots).toEqual([
      {
        lot_id: lot.id,
        remaining: '2.00',
        granted: '3.00',
        price_minor: 1_000,
        unit_price_minor: 333,
        amount_minor: 667,
        working: '1000 × 2.00 ÷ 3.00 = 666 remainder 2.00 → 667',
      },
    ]);
    const both = await Promise.all([refund(second.quote_id), refund(second.quote_id)]);
    expect(codesOf(both)).toEqual(['200', '409 quote_stale']);
    expect(await school.balance(ann)).toBe('0.00');
    expectRefusal(await refund(randomUUID()), 404, 'not_found');
  });

  it('are read only by supervisors, the student and their teachers', async () => {
    const [ann, bob] = [newStudent(), newStudent()];
    await school.classOf([ann]);
    const path = `/clazz/hour/account/${ann}`;
    expectOk(await school.student(ann).get(path));
    expectOk(await school.teacher.get(path));
    expectRefusal(await school.student(bob).get(path), 403, 'forbidden');
    expectRefusal(await fixture.as({ role: 'TEACHER', sub: 'stranger' }).get(path), 403, 'forbidden');
    expectRefusal(await school.teacher.post('/clazz/hour/grant', { student_id: ann, hours: '1' }), 403, 'forbidden');
    await school.grant(ann, '4');
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: randomUUID() });
    expect(expectOk(await elsewhere.get(path))).toEqual({
      student_id: ann,
      student_name: null,
      balance: '0.00',
      hours: NOTHING,
      lots: [],
    });
  });

  it('have a ledger that the database roles of the service cannot change', async () => {
    const ann = newStudent();
    await school.grant(ann, '4');
    const attempts = [
      'update clazz.hour_entry set amount = 1',
      'delete from clazz.hour_entry',
      'truncate clazz.hour_entry',
    ];
    for (const role of ['clazz_app', 'clazz_worker']) {
      for (const attempt of [...attempts, 'update clazz.mark_revision set mark = null', 'delete from clazz.policy']) {
        await expect(fixture.sql(`set role ${role}; ${attempt}`)).rejects.toThrow(/permission denied/);
      }
    }
    const updateAccount = (to: string) =>
      fixture.sql(`update clazz.hour_account set ${to} where student_id = '${ann}'`);
    await expect(updateAccount('balance = balance + 1')).rejects.toThrow(/hour_account_adds_up/);
    await expect(updateAccount('balance = balance + 1, granted = granted + 1')).rejects.toThrow(
      /not as its ledger left it/,
    );
    await fixture.sql('reset role');
  });

  it('have a ledger whose invariants the database enforces', async () => {
    const [ann, bob, owing] = school.students(3) as [string, string, string];
    const clazz_id = await school.classOf([ann, bob, owing]);
    const lesson = await school.lesson(clazz_id, -2);
    for (const student of [ann, bob]) await school.grant(student, '4');
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present', [owing]: 'present' }));
    /** Inserts a copy of the newest row of a student with some columns changed. */
    const insertCopy = (table: string, fields: Record<string, string | null>, student = ann) => {
      const changed = JSON.stringify({ id: randomUUID(), ...fields });
      return fixture.sql(
        `insert into clazz.${table} select (json_populate_record(t, $2)).* from clazz.${table} t
         where t.student_id = $1 order by t.seq desc limit 1`,
        [student, changed],
      );
    };
    const next = { seq: '3', balance_before: '3', balance_after: '2' };
    const adjustment = { ...next, kind: 'adjust', lesson_id: null, mark_revision: null };
    const lotOf = async (student: string): Promise<string> =>
      (await fixture.sql<{ id: string }>('select id from clazz.hour_lot where student_id = $1', [student]))[0]?.id ??
      '';
    const theirs = { lot_id: await lotOf(bob) };
    await expect(insertCopy('hour_entry', next)).rejects.toThrow(/hour_entry_once/);
    await expect(insertCopy('hour_entry', { ...next, seq: '2' })).rejects.toThrow(/hour_entry_pkey/);
    await expect(insertCopy('hour_entry', { ...adjustment, seq: '4' })).rejects.toThrow(/does not continue/);
    await expect(insertCopy('hour_entry', { ...adjustment, balance_before: '9', balance_after: '8' })).rejects.toThrow(
      /continue/,
    );
    await expect(insertCopy('hour_entry', { ...next, ...theirs })).rejects.toThrow(
      /lot that the student does not have/,
    );
    await expect(insertCopy('hour_entry', { ...next, mark_revision: '2' })).rejects.toThrow(/mark that does not exist/);
    const insertDraw = (fields: Record<string, string | null>) => insertCopy('hour_draw', fields, owing);
    await expect(insertDraw({})).rejects.toThrow(/hour_draw_lesson/);
    await expect(insertDraw(theirs)).rejects.toThrow(/lot that the student does not have/);
    await expect(insertDraw({ mark_revision: '2', lesson_id: randomUUID() })).rejects.toThrow(/mark that does not/);
    const insertAccount = `insert into clazz.hour_account (org_id, student_id, last_seq) values ($1, 'new', 1)`;
    await expect(fixture.sql(insertAccount, [fixture.org])).rejects.toThrow(/begins before its ledger/);
  });
});
