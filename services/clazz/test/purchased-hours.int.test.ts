import { randomUUID } from 'node:crypto';
import { courseCalls, hourCalls, packageCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { MONDAY, openSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
});
afterAll(() => fixture?.stop());
const one = (): string => school.students(1)[0] as string;
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
/** Where a refused grant is wrong. */
const wrongIn = async (fields: object) => {
  const body = { student_id: one(), hours: '5', ...fields };
  const { status, errors } = await school.supervisor.refused(hourCalls.grantHours, { body });
  return [status, ...errors.map(({ path }) => path)];
};

describe('what a bought hour costs', () => {
  it('is known of each package that is published: one with a price has hours', async () => {
    const { path } = await packageOf({ price_minor: 9_000, currency: 'EUR' });
    const refused = await school.supervisor.refused(packageCalls.publishPackage, { path });
    expect([refused.status, refused.code]).toEqual([409, 'package_incomplete']);
    await school.supervisor.ok(packageCalls.updatePackage, { path, body: { total_hours: '0.50' } });
    await school.supervisor.ok(packageCalls.publishPackage, { path });
    await publishedOf({ price_minor: 0 });
  });

  it('stays the same when other than the total is granted', async () => {
    const { id } = await publishedOf({ price_minor: 9_000, currency: 'EUR', total_hours: '10' });
    const lots = await Promise.all(['1', '10', '25'].map((hours) => school.grant(one(), hours, { package_id: id })));
    expect(lots.map((lot) => lot.price_minor)).toEqual([900, 9_000, 22_500]);
  });

  it('is in the currency of the organization where nothing else is said', async () => {
    const ann = one();
    await school.setPolicy({ currency: 'JPY' });
    const bought = await publishedOf({ price_minor: 900, total_hours: '10', currency: 'EUR' });
    expect(await school.grant(ann, '1', { price_minor: 5 })).toMatchObject({ currency: 'JPY' });
    const inDollars = { price_minor: 5, currency: 'USD' };
    expect(await school.grant(one(), '1', inDollars)).toMatchObject(inDollars);
    expect(await school.grant(one(), '1', { package_id: bought.id })).toMatchObject({ currency: 'EUR' });
    const quote = await school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: one() } });
    expect(quote).toMatchObject({ currency: null, lots: [] });
    await school.setPolicy({});
  });
});

describe('a refund', () => {
  /** Somebody who has hours for one course, and owes two for another. */
  const owing = async (...lots: Parameters<School['grant']>[2][]) => {
    const ann = one();
    const [chess, piano] = [await courseOf('Chess'), await courseOf('Piano')];
    for (const lot of lots) await school.grant(ann, '10', { course_id: piano, ...lot });
    const lesson = await school.lesson(await school.classOf([ann], { course_id: chess }), -2, { hours: '2' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    return { ann, lesson };
  };
  const quoteOf = (student_id: string) => school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id } });
  const refund = (quote_id: string) => school.supervisor.ok(hourCalls.refundHours, { body: { quote_id } });

  it('takes what is owed off first, and never leaves a balance below zero', async () => {
    const { ann, lesson } = await owing({ price_minor: 10_000, currency: 'EUR' });
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

  it('takes it off in draw order, so that a gift pays before what was bought', async () => {
    const { ann } = await owing({ price_minor: 10_000, currency: 'EUR' }, { kind: 'gift' });
    const quote = await quoteOf(ann);
    expect(quote).toMatchObject({ amount_minor: 10_000, lots: [{ remaining: '10.00' }] });
    expect((await refund(quote.quote_id)).balance).toBe('8.00');
  });

  it('goes stale when more is owed meanwhile', async () => {
    const { ann, lesson } = await owing({ price_minor: 10_000, currency: 'EUR' });
    expectOk(await school.submit(lesson.id, { [ann]: 'trial' }));
    const { quote_id } = await quoteOf(ann);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expect((await school.supervisor.refused(hourCalls.refundHours, { body: { quote_id } })).code).toBe('quote_stale');
  });

  it('by a quote that there is not names it', async () => {
    const { status, errors } = await school.supervisor.refused(hourCalls.refundHours, {
      body: { quote_id: randomUUID() },
    });
    expect([status, ...errors.map(({ path }) => path)]).toEqual([404, '/body/quote_id']);
  });
});

describe('a grant', () => {
  it('names every id that does not exist, and the version only where the package was published', async () => {
    const [package_id, course_id] = [randomUUID(), randomUUID()];
    expect(await wrongIn({ package_id })).toEqual([404, '/body/package_id']);
    expect(await wrongIn({ package_id, package_version: 1 })).toEqual([404, '/body/package_id']);
    expect(await wrongIn({ package_id, course_id })).toEqual([404, '/body/package_id', '/body/course_id']);
    const { id } = await publishedOf({});
    expect(await wrongIn({ package_id: id, package_version: 2 })).toEqual([404, '/body/package_version']);
    expect(await wrongIn({ package_version: 1 })).toEqual([400, '/body/package_id']);
    expect(await wrongIn({ package_id: 'x', package_version: 1 })).toEqual([400, '/body/package_id']);
  });

  it('of hours that have expired is refused', async () => {
    expect(await wrongIn({ expires_at: school.inHours(-DAY) })).toEqual([400, '/body/expires_at']);
    expect(await wrongIn({ expires_at: school.inHours(0) })).toEqual([400, '/body/expires_at']);
    await school.grant(one(), '1', { expires_at: school.inHours(1) });
  });

  it('is valid until the last day is over where the organization is', async () => {
    const { id } = await publishedOf({ validity_days: 26 });
    const expiryIn = async (zone: string) => {
      await school.setPolicy({ zone });
      return (await school.grant(one(), '1', { package_id: id })).expires_at;
    };
    // Monday, 2 March 2026 at 10:00 UTC; clocks in Berlin change on the 29th, the day after the last.
    expect(await expiryIn('UTC')).toBe('2026-03-29T00:00:00.000Z');
    expect(await expiryIn('Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
    expect(await expiryIn('Asia/Shanghai')).toBe('2026-03-28T16:00:00.000Z');
    // It is Tuesday there.
    expect(await expiryIn('Pacific/Kiritimati')).toBe('2026-03-29T10:00:00.000Z');
    await school.setPolicy({});
  });
});
