import { randomUUID } from 'node:crypto';
import { courseCalls, hourCalls, ledgerCalls, packageCalls, policyCalls, type Request } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, startSchool, createSchoolInNewOrg, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture } = await startSchool(clock));
  ({ school } = createSchoolInNewOrg(fixture, clock));
});
afterAll(() => fixture?.stop());
const newStudent = (): string => singleElement(school.students(1));

type PackageBody = Request<typeof packageCalls.createPackage>['body'];
const packageOf = (fields: Omit<PackageBody, 'title'> = {}) =>
  school.supervisor.ok(packageCalls.createPackage, { body: { title: 'Ten', ...fields } });
const publishIn = async ({ supervisor }: School, id: string) => {
  const { id: course_id } = await supervisor.ok(courseCalls.createCourse, { body: { title: 'Algebra' } });
  const items = [{ course_id, title: 'a', hours: 1 }];
  await supervisor.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  await supervisor.ok(packageCalls.publishPackage, { path: { id } });
};
const NO_PACKAGE = { package_id: null, package_title: null, refunded: '0.00', refunded_minor: 0 };
const wrongIn = ({ status, errors }: { status: number; errors: { path: string }[] }) => [
  status,
  ...errors.map(({ path }) => path),
];
const refusedGrant = async (fields: object) =>
  wrongIn(
    await school.supervisor.refused(hourCalls.grantHours, {
      body: { student_id: newStudent(), hours: '5', ...fields },
    }),
  );

describe('the currency of a price', () => {
  it('is that of the request, else that of the policy, and is required if both are missing', async () => {
    await school.setPolicy({});
    expect(await refusedGrant({ price_minor: 500 })).toEqual([400, '/body/currency']);
    expect(await school.grant(newStudent(), '5', { price_minor: 500, currency: 'EUR' })).toMatchObject({
      currency: 'EUR',
    });
    expect(await school.setPolicy({ currency: 'JPY' })).toMatchObject({ currency: 'JPY' });
    expect(await school.grant(newStudent(), '5', { price_minor: 500 })).toMatchObject({ currency: 'JPY' });
    expect(await school.grant(newStudent(), '5', { price_minor: 500, currency: 'EUR' })).toMatchObject({
      currency: 'EUR',
    });
    expect(await school.setPolicy({})).toMatchObject({ currency: null, org_name: null });
    expect(await school.supervisor.ok(policyCalls.getPolicy)).toMatchObject({ currency: null });
    expect(await refusedGrant({ price_minor: 500 })).toEqual([400, '/body/currency']);
  });

  it('is null without a price', async () => {
    const none = { price_minor: 0, currency: null };
    expect(await school.grant(newStudent(), '5')).toMatchObject(none);
    expect(await school.grant(newStudent(), '5', { price_minor: 0, currency: 'EUR' })).toMatchObject(none);
    expect(await school.grant(newStudent(), '5', { kind: 'gift', currency: 'EUR' })).toMatchObject(none);
    expect(await packageOf()).toMatchObject(none);
    expect(await packageOf({ price_minor: 0, currency: 'EUR' })).toMatchObject(none);
  });

  it('of a package is that of the request, else that of the policy', async () => {
    await school.setPolicy({});
    const body = { title: 'Ten', price_minor: 500 };
    const without = await school.supervisor.refused(packageCalls.createPackage, { body });
    expect(wrongIn(without)).toEqual([400, '/body/currency']);
    const free = await packageOf();
    const path = { id: free.id };
    const patch = (fields: Request<typeof packageCalls.updatePackage>['body']) =>
      school.supervisor.ok(packageCalls.updatePackage, { path, body: fields });
    const refusedPatch = async (fields: Request<typeof packageCalls.updatePackage>['body']) =>
      wrongIn(await school.supervisor.refused(packageCalls.updatePackage, { path, body: fields }));
    expect(await refusedPatch({ price_minor: 500 })).toEqual([400, '/body/currency']);
    expect(await patch({ price_minor: 500, currency: 'USD' })).toMatchObject({ price_minor: 500, currency: 'USD' });
    expect(await patch({ price_minor: 600 })).toMatchObject({ price_minor: 600, currency: 'USD' });
    expect(await refusedPatch({ currency: null })).toEqual([400, '/body/currency']);
    await school.setPolicy({ currency: 'JPY' });
    expect(await packageOf({ price_minor: 500 })).toMatchObject({ currency: 'JPY' });
    expect(await packageOf({ price_minor: 500, currency: 'EUR' })).toMatchObject({ currency: 'EUR' });
    expect(await patch({ currency: null })).toMatchObject({ price_minor: 600, currency: 'JPY' });
    expect(await patch({ price_minor: 0 })).toMatchObject({ price_minor: 0, currency: null });
    expect(await patch({ price_minor: 700 })).toMatchObject({ price_minor: 700, currency: 'JPY' });
    await school.setPolicy({});
  });

  it('of a refund is that of the remaining lots, and null if no lot has a price', async () => {
    const ann = newStudent();
    await school.grant(ann, '2');
    const quote = () => school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: ann } });
    expect(await quote()).toMatchObject({ currency: null, amount_minor: 0, lots: [{ amount_minor: 0 }] });
    await school.grant(ann, '2', { price_minor: 1_000, currency: 'EUR' });
    const { quote_id, ...quoted } = await quote();
    expect(quoted).toMatchObject({ currency: 'EUR', amount_minor: 1_000, lots: [{}, {}] });
    expect(await school.supervisor.ok(hourCalls.refundHours, { body: { quote_id } })).toMatchObject({
      balance: '0.00',
    });
    const refunds = (await school.entries(ann)).filter(({ kind }) => kind === 'refund');
    expect(refunds.map(({ price_minor, currency }) => [price_minor, currency])).toEqual([
      [null, null],
      [1_000, 'EUR'],
    ]);
  });
});

describe('a bulk grant', () => {
  const bulk = (grants: Request<typeof hourCalls.grantHoursInBulk>['body']['grants']) =>
    school.supervisor.ok(hourCalls.grantHoursInBulk, { body: { grants } });
  const refusedBulk = async (grants: readonly object[]) => {
    const { status, errors } = await school.supervisor.refused(hourCalls.grantHoursInBulk, { body: { grants } });
    return [status, ...errors.map(({ path }) => path)];
  };

  it('returns its grants in order, each with its package', async () => {
    const { id: package_id } = await packageOf({ price_minor: 9_000, currency: 'EUR', total_hours: '10' });
    await publishIn(school, package_id);
    const [ann, bob] = [newStudent(), newStudent()];
    const { items } = await bulk([
      { student_id: ann, hours: 10, package_id },
      { student_id: bob, hours: '2.5', kind: 'gift' },
      { student_id: ann, hours: 1, package_id, package_version: 1 },
    ]);
    expect(items.map((it) => [it.student_id, it.granted, it.balance, it.price_minor, it.currency])).toEqual([
      [ann, '10.00', '11.00', 9_000, 'EUR'],
      [bob, '2.50', '2.50', 0, null],
      [ann, '1.00', '11.00', 900, 'EUR'],
    ]);
    expect(items.map((it) => [it.package_id, it.package_version, it.package_title])).toEqual([
      [package_id, 1, 'Ten'],
      [null, null, null],
      [package_id, 1, 'Ten'],
    ]);
    expect((await school.account(ann)).lots).toMatchObject([{ granted: '10.00' }, { granted: '1.00' }]);
  });

  it('stores all grants or none, and names every problem by its path', async () => {
    const { id: package_id } = await packageOf({ price_minor: 9_000, currency: 'EUR', total_hours: '10' });
    await publishIn(school, package_id);
    const [ann, unknownId] = [newStudent(), randomUUID()];
    const good = { student_id: ann, hours: 1 };
    expect(
      await refusedBulk([
        good,
        { ...good, package_id: unknownId },
        { ...good, package_id, package_version: 2 },
        { ...good, package_id, course_id: unknownId },
        { ...good, course_id: unknownId },
      ]),
    ).toEqual([
      404,
      '/body/grants/1/package_id',
      '/body/grants/2/package_version',
      '/body/grants/3/course_id',
      '/body/grants/4/course_id',
    ]);
    const late = { ...good, expires_at: school.inHours(-1) };
    expect(await refusedBulk([good, late, { ...good, price_minor: 5 }])).toEqual([
      400,
      '/body/grants/1/expires_at',
      '/body/grants/2/currency',
    ]);
    expect(await refusedBulk([{ ...good, hours: 0 }, { hours: 1 }])).toEqual([
      400,
      '/body/grants/0/hours',
      '/body/grants/1/student_id',
    ]);
    expect(await refusedBulk([])).toEqual([400, '/body/grants']);
    expect(await refusedBulk(Array.from({ length: 501 }, () => good))).toEqual([400, '/body/grants']);
    expect((await school.account(ann)).lots).toEqual([]);
  });

  it('accepts 500 grants', async () => {
    const students = school.students(500);
    const { items } = await bulk(students.map((student_id) => ({ student_id, hours: 1 })));
    expect(items.map((it) => it.student_id)).toEqual(students);
  });

  it('and a parallel refund of the same hours lose no hours', async () => {
    const ann = newStudent();
    await school.grant(ann, '10', { price_minor: 1_000, currency: 'EUR' });
    const { quote_id } = await school.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: ann } });
    const both = await Promise.all([
      bulk([newStudent(), ann].map((student_id) => ({ student_id, hours: 3 }))),
      school.supervisor.outcome(hourCalls.refundHours, { body: { quote_id } }),
    ]);
    // A grant that is stored first makes the quote stale.
    const balance = both[1].code === 'done' ? '3.00' : '13.00';
    expect(await school.balance(ann)).toBe(balance);
  });
});

describe('the summary of hours', () => {
  it('sums hours and money of a date range, by currency and by package', async () => {
    const { school: own } = createSchoolInNewOrg(fixture, clock);
    const made = await own.supervisor.ok(packageCalls.createPackage, {
      body: { title: 'Ten lessons', price_minor: 9_000, currency: 'EUR', total_hours: '10' },
    });
    await publishIn(own, made.id);
    const [ann, bob] = own.students(2) as [string, string];
    await own.grant(ann, '10', { package_id: made.id });
    await own.grant(bob, '4', { price_minor: 800, currency: 'USD', expires_at: own.inHours(1) });
    await own.grant(bob, '1', { kind: 'gift' });
    const move = { from_student_id: ann, to_student_id: bob, hours: '3', reason: 'siblings' };
    await own.supervisor.ok(hourCalls.transferHours, { body: move });
    await own.supervisor.ok(hourCalls.adjustHours, { body: { student_id: bob, hours: '-0.5', reason: 'a test' } });
    const { quote_id } = await own.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: ann } });
    await own.supervisor.ok(hourCalls.refundHours, { body: { quote_id } });
    const summary = (query: Request<typeof ledgerCalls.getHourSummary>['query']) =>
      own.supervisor.ok(ledgerCalls.getHourSummary, { query });
    await clock.later(2 * HOUR_MS, async () => {
      const found = await summary({});
      expect(found).toEqual({
        range: { from: '2026-03-01', to: '2026-03-31', zone: 'UTC' },
        granted: '15.00',
        consumed: '0.00',
        transferred: '3.00',
        refunded: '7.00',
        expired: '4.00',
        adjusted: '-0.50',
        money: [
          { currency: 'EUR', sold_minor: 9_000, refunded_minor: 6_300 },
          { currency: 'USD', sold_minor: 800, refunded_minor: 0 },
        ],
        by_package: [
          {
            package_id: made.id,
            package_title: 'Ten lessons',
            currency: 'EUR',
            granted: '10.00',
            refunded: '7.00',
            sold_minor: 9_000,
            refunded_minor: 6_300,
          },
          { ...NO_PACKAGE, currency: 'USD', granted: '4.00', sold_minor: 800 },
          { ...NO_PACKAGE, currency: null, granted: '1.00', sold_minor: 0 },
        ],
      });
    });
    const days = async (from: string, to: string, zone?: string) => (await summary({ from, to, zone })).granted;
    expect(await days('2026-03-02', '2026-03-02')).toBe('15.00');
    expect(await days('2026-03-01', '2026-03-01')).toBe('0.00');
    // 10:00 UTC is already the next day in Kiritimati.
    expect(await days('2026-03-03', '2026-03-03', 'Pacific/Kiritimati')).toBe('15.00');
    await own.setPolicy({ zone: 'Pacific/Kiritimati' });
    expect(await days('2026-03-02', '2026-03-02')).toBe('0.00');
    const wrong = await own.supervisor.refused(ledgerCalls.getHourSummary, {
      query: { from: '2026-03-02', to: '2026-03-01' },
    });
    expect(wrongIn(wrong)).toEqual([400, '/query/to']);
    for (const role of ['TEACHER', 'STUDENT'] as const)
      expect((await own.as({ role }).refused(ledgerCalls.getHourSummary)).code).toBe('forbidden');
    const packageEntries = await own.supervisor.ok(ledgerCalls.listHourEntries, {
      query: { package_id: made.id, kind: 'grant,refund' },
    });
    expect(
      packageEntries.items.map(({ kind, price_minor, package_title }) => [kind, price_minor, package_title]),
    ).toEqual([
      ['refund', 6_300, 'Ten lessons'],
      ['grant', 9_000, 'Ten lessons'],
    ]);
  });
});

describe('a receipt', () => {
  const { own, org } = { own: () => createSchoolInNewOrg(fixture, clock), org: { org_name: 'Song & Sons <School>' } };
  const read = (of: School, entry_id: string) => of.supervisor.ok(ledgerCalls.getReceipt, { path: { entry_id } });
  const entriesOf = async (of: School, kind = 'grant,refund') =>
    (await of.supervisor.ok(ledgerCalls.listHourEntries, { query: { kind, limit: '100' } })).items;

  it('has number, organization, student, package version, hours, price and date, as JSON and as HTML', async () => {
    const { school: shop } = own();
    await shop.setPolicy({ ...org, zone: 'Asia/Shanghai' });
    const made = await shop.supervisor.ok(packageCalls.createPackage, {
      body: { title: 'Ten', price_minor: 123_450, currency: 'EUR', total_hours: '10' },
    });
    await publishIn(shop, made.id);
    const [ann, bob] = shop.students(2) as [string, string];
    // At this instant it is 2026 in UTC and 2027 in Shanghai.
    clock.set('2026-12-31T17:00:00.000Z');
    await shop.grant(ann, '10', { package_id: made.id });
    const sold = singleElement(await entriesOf(shop));
    const receipt = await read(shop, sold.id);
    expect(receipt).toEqual({
      number: 1,
      year: 2027,
      entry_id: sold.id,
      kind: 'grant',
      ...org,
      student_id: ann,
      student_name: null,
      package_id: made.id,
      package_title: 'Ten',
      package_version: 1,
      hours: '10.00',
      price_minor: 123_450,
      currency: 'EUR',
      date: '2027-01-01',
      issued_at: sold.created_at,
    });
    const path = `/clazz/hour/entry/${sold.id}/receipt`;
    const page = await shop.student(ann).send('GET', path, undefined, { accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const text of ['2027-1', 'Song &amp; Sons &lt;School&gt;', ann, 'Ten, version 1', '10.00', '2027-01-01'])
      expect(page.body).toContain(text);
    expect(page.body).toMatch(/EUR\s1,234\.50/);
    expect((await shop.student(bob).refused(ledgerCalls.getReceipt, { path: { entry_id: sold.id } })).code).toBe(
      'not_found',
    );
    const teacher = shop.as({ role: 'TEACHER' });
    expect((await teacher.refused(ledgerCalls.getReceipt, { path: { entry_id: sold.id } })).code).toBe('forbidden');
    clock.reset();
  });

  it('is numbered from 1 without gaps per organization and year, also for parallel sales', async () => {
    const { school: shop } = own();
    const paid = { price_minor: 700, currency: 'EUR' };
    const students = shop.students(20);
    const [first, ...others] = students as [string, ...string[]];
    await shop.grant(first, '1', paid);
    const { quote_id } = await shop.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: first } });
    const grants = [first, ...shop.students(3)].map((student_id) => ({ student_id, hours: 1, ...paid }));
    await Promise.all([
      ...others.map((student) => shop.grant(student, '1', paid)),
      ...others.map((student) => shop.grant(student, '1', { kind: 'gift' })),
      // These grants are refused.
      ...others.map((student) =>
        shop.supervisor.refused(hourCalls.grantHours, { body: { student_id: student, hours: 1, price_minor: 1 } }),
      ),
      shop.supervisor.ok(hourCalls.grantHoursInBulk, { body: { grants } }),
      shop.supervisor.outcome(hourCalls.refundHours, { body: { quote_id } }),
    ]);
    const entries = await entriesOf(shop);
    const priced = entries.filter((it) => it.price_minor !== null);
    expect(priced.length).toBeGreaterThanOrEqual(24);
    const numbers = (await Promise.all(priced.map((it) => read(shop, it.id)))).map((it) => [it.year, it.number]);
    expect(numbers.toSorted(([, a = 0], [, b = 0]) => a - b)).toEqual(priced.map((_it, index) => [2026, index + 1]));
    for (const { id } of entries.filter((it) => it.price_minor === null))
      expect((await shop.supervisor.refused(ledgerCalls.getReceipt, { path: { entry_id: id } })).code).toBe(
        'not_found',
      );
    await clock.later(365 * 24 * HOUR_MS, async () => {
      await shop.grant(first, '1', paid);
      const [latest] = await entriesOf(shop, 'grant');
      expect(await read(shop, latest?.id ?? '')).toMatchObject({ year: 2027, number: 1, org_name: null });
    });
  });

  it('of a refund contains the refunded hours and amount', async () => {
    const { school: shop } = own();
    const ann = singleElement(shop.students(1));
    await shop.grant(ann, '4', { price_minor: 1_000, currency: 'JPY' });
    await shop.supervisor.ok(hourCalls.adjustHours, { body: { student_id: ann, hours: -1, reason: 'a test' } });
    const { quote_id } = await shop.supervisor.ok(hourCalls.quoteRefund, { body: { student_id: ann } });
    await shop.supervisor.ok(hourCalls.refundHours, { body: { quote_id } });
    const refundEntry = singleElement(await entriesOf(shop, 'refund'));
    expect(await read(shop, refundEntry.id)).toMatchObject({
      number: 2,
      kind: 'refund',
      hours: '3.00',
      price_minor: 750,
      currency: 'JPY',
    });
  });
});
