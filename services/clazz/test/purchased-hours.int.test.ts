import { randomUUID } from 'node:crypto';
import { courseCalls, hourCalls, packageCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
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

type PackageBody = Request<typeof packageCalls.createPackage>['body'];
const courseOf = async (title: string) =>
  (await school.supervisor.ok(courseCalls.createCourse, { body: { title } })).id;
const packageOf = async (fields: Omit<PackageBody, 'title'>) => {
  const course_id = await courseOf('Algebra');
  const { id } = await school.supervisor.ok(packageCalls.createPackage, { body: { title: 'Ten', ...fields } });
  const items = [{ course_id, title: 'a', hours: '1' }];
  await school.supervisor.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  return { id, path: { id } };
};
const publishedOf = async (fields: Omit<PackageBody, 'title'>) => {
  const made = await packageOf(fields);
  await school.supervisor.ok(packageCalls.publishPackage, { path: made.path });
  return made;
};
/** The status and the error paths of a refused grant. */
const refusedGrant = async (fields: object) => {
  const body = { student_id: newStudent(), hours: '5', ...fields };
  const { status, errors } = await school.supervisor.refused(hourCalls.grantHours, { body });
  return [status, ...errors.map(({ path }) => path)];
};

describe('the price of one hour', () => {
  it('is defined for each published package: a package with a price must have hours', async () => {
    const { path } = await packageOf({ price_minor: 9_000, currency: 'EUR' });
    const refused = await school.supervisor.refused(packageCalls.publishPackage, { path });
    expect([refused.status, refused.code]).toEqual([409, 'package_incomplete']);
    await school.supervisor.ok(packageCalls.updatePackage, { path, body: { total_hours: '0.50' } });
    await school.supervisor.ok(packageCalls.publishPackage, { path });
    await publishedOf({ price_minor: 0 });
  });

  it('stays the same when a grant differs from the total hours of the package', async () => {
    const { id } = await publishedOf({ price_minor: 9_000, currency: 'EUR', total_hours: '10' });
    const lots = await Promise.all(
      ['1', '10', '25'].map((hours) => school.grant(newStudent(), hours, { package_id: id })),
    );
    expect(lots.map((lot) => lot.price_minor)).toEqual([900, 9_000, 22_500]);
  });

  it('is in the currency of the request or package, else in that of the organization', async () => {
    const ann = newStudent();
    await school.setPolicy({ currency: 'JPY' });
    const bought = await publishedOf({ price_minor: 900, total_hours: '10', currency: 'EUR' });
    expect(await school.grant(ann, '1', { price_minor: 5 })).toMatchObject({ currency: 'JPY' });
    const inDollars = { price_minor: 5, currency: 'USD' };
    expect(await school.grant(newStudent(), '1', inDollars)).toMatchObject(inDollars);
    expect(await school.grant(newStudent(), '1', { package_id: bought.id })).toMatchObject({ currency: 'EUR' });
    const quote = await school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: newStudent() } });
    expect(quote).toMatchObject({ currency: null, lots: [] });
    await school.setPolicy({});
  });
});

describe('a refund', () => {
  /** A student with hours for one course and a debt of two hours for another. */
  const studentWithDebt = async (...lots: Parameters<School['grant']>[2][]) => {
    const ann = newStudent();
    const [chess, piano] = [await courseOf('Chess'), await courseOf('Piano')];
    for (const lot of lots) await school.grant(ann, '10', { course_id: piano, ...lot });
    const lesson = await school.lesson(await school.classOf([ann], { course_id: chess }), -2, { hours: '2' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    return { ann, lesson };
  };
  const quoteOf = (student_id: string) => school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id } });
  const refund = (quote_id: string) => school.supervisor.ok(hourCalls.refundHours, { body: { quote_id } });

  it('deducts debts first, and never leaves a balance below zero', async () => {
    const { ann, lesson } = await studentWithDebt({ price_minor: 10_000, currency: 'EUR' });
    const quote = await quoteOf(ann);
    expect(quote).toMatchObject({
      amount_minor: 8_000,
      lots: [
        {
          remaining: '8.00',
          owed: '2.00',
          amount_minor: 8_000,
          working: '10000 × 10.00 ÷ 10.00 = 10000 → 10000; less 10000 × 2.00 ÷ 10.00 = 2000 → 2000; 8000 are left',
        },
      ],
    });
    expect((await refund(quote.quote_id)).balance).toBe('0.00');
    expect(await quoteOf(ann)).toMatchObject({ amount_minor: 0, lots: [] });
    expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
    expect(await quoteOf(ann)).toMatchObject({ amount_minor: 2_000, lots: [{ remaining: '2.00' }] });
  });

  it('deducts debts in draw order, from gifts before paid lots', async () => {
    const { ann } = await studentWithDebt({ price_minor: 10_000, currency: 'EUR' }, { kind: 'gift' });
    const quote = await quoteOf(ann);
    expect(quote).toMatchObject({ amount_minor: 10_000, lots: [{ remaining: '10.00' }] });
    expect((await refund(quote.quote_id)).balance).toBe('8.00');
  });

  it('is refused as stale if the debt has grown since the quote', async () => {
    const { ann, lesson } = await studentWithDebt({ price_minor: 10_000, currency: 'EUR' });
    expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
    const { quote_id } = await quoteOf(ann);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expect((await school.supervisor.refused(hourCalls.refundHours, { body: { quote_id } })).code).toBe('quote_stale');
  });

  it('names an unknown quote by its path', async () => {
    const { status, errors } = await school.supervisor.refused(hourCalls.refundHours, {
      body: { quote_id: randomUUID() },
    });
    expect([status, ...errors.map(({ path }) => path)]).toEqual([404, '/body/quote_id']);
  });
});

describe('a grant', () => {
  it('names every unknown id by its path, and an unknown version only of a published package', async () => {
    const [package_id, course_id] = [randomUUID(), randomUUID()];
    expect(await refusedGrant({ package_id })).toEqual([404, '/body/package_id']);
    expect(await refusedGrant({ package_id, package_version: 1 })).toEqual([404, '/body/package_id']);
    expect(await refusedGrant({ package_id, course_id })).toEqual([404, '/body/package_id', '/body/course_id']);
    const { id } = await publishedOf({});
    expect(await refusedGrant({ package_id: id, package_version: 2 })).toEqual([404, '/body/package_version']);
    expect(await refusedGrant({ package_version: 1 })).toEqual([400, '/body/package_id']);
    expect(await refusedGrant({ package_id: 'x', package_version: 1 })).toEqual([400, '/body/package_id']);
  });

  it('is refused with an expiry that is not in the future', async () => {
    expect(await refusedGrant({ expires_at: school.inHours(-DAY) })).toEqual([400, '/body/expires_at']);
    expect(await refusedGrant({ expires_at: school.inHours(0) })).toEqual([400, '/body/expires_at']);
    await school.grant(newStudent(), '1', { expires_at: school.inHours(1) });
  });

  it('is valid until the end of its last day in the organization’s zone', async () => {
    const { id } = await publishedOf({ validity_days: 26 });
    const expiryIn = async (zone: string) => {
      await school.setPolicy({ zone });
      return (await school.grant(newStudent(), '1', { package_id: id })).expires_at;
    };
    // Monday, 2 March 2026 at 10:00 UTC; clocks in Berlin change on the 29th, the day after the last.
    expect(await expiryIn('UTC')).toBe('2026-03-29T00:00:00.000Z');
    expect(await expiryIn('Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
    expect(await expiryIn('Asia/Shanghai')).toBe('2026-03-28T16:00:00.000Z');
    // It is already Tuesday in Kiritimati.
    expect(await expiryIn('Pacific/Kiritimati')).toBe('2026-03-29T10:00:00.000Z');
    await school.setPolicy({});
  });
});

describe('the start of the lesson decides which hours are valid', () => {
  const moves = async (student: string): Promise<(string | null)[][]> =>
    (await school.entries(student)).map(({ kind, amount, lot_id }) => [kind, amount, lot_id]);

  it('so an early roll call draws nothing from hours that expire before it, and no debt is settled from them', async () => {
    await school.setPolicy({ roll_call: { lead_minutes: 1_440, edit_window_days: 7 } });
    const ann = newStudent();
    const soon = await school.grant(ann, '2', { expires_at: school.inHours(5) });
    const lesson = await school.lesson(await school.classOf([ann]), 10);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expect((await moves(ann)).slice(1)).toEqual([['consume', '-1.00', null]]);
    const later = await school.grant(ann, '3', { expires_at: school.inHours(DAY) });
    expect((await moves(ann)).slice(3)).toEqual([
      ['settle', '1.00', null],
      ['settle', '-1.00', later.id],
    ]);
    await school.runHoursLater(6, async () => {
      expect(await school.balance(ann)).toBe('2.00');
      expect((await moves(ann)).slice(5)).toEqual([['expire', '-2.00', soon.id]]);
    });
    await school.setPolicy({});
  });

  it('so an early roll call is refused where the policy forbids a debt', async () => {
    await school.setPolicy({
      roll_call: { lead_minutes: 1_440, edit_window_days: 7 },
      hours: { overdraft: 'forbid' },
    });
    const ann = newStudent();
    await school.grant(ann, '2', { expires_at: school.inHours(5) });
    const clazz_id = await school.classOf([ann]);
    const [before, after] = [await school.lesson(clazz_id, 4), await school.lesson(clazz_id, 10)];
    expectRefusal(await school.submit(after.id, { [ann]: 'present' }), 409, 'insufficient_hours');
    expectOk(await school.submit(before.id, { [ann]: 'present' }));
    await school.setPolicy({});
  });

  it('so a late roll call takes back what has expired since', async () => {
    const ann = newStudent();
    const lot = await school.grant(ann, '2', { expires_at: school.inHours(5) });
    const clazz_id = await school.classOf([ann]);
    const [before, after] = [await school.lesson(clazz_id, 4), await school.lesson(clazz_id, 5)];
    await school.runHoursLater(6, async () => {
      expect(await school.balance(ann)).toBe('0.00');
      expectOk(await school.submit(after.id, { [ann]: 'present' }));
      expectOk(await school.submit(before.id, { [ann]: 'present' }));
    });
    expect((await moves(ann)).slice(1)).toEqual([
      ['expire', '-2.00', lot.id],
      ['consume', '-1.00', null],
      ['expire', '1.00', lot.id],
      ['consume', '-1.00', lot.id],
    ]);
  });
});
