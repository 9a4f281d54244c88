import { auditCalls, type HourEntry, hourCalls, ledgerCalls, memberCalls, type Request } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer as Sent } from '../../../tools/proofs/test/http.ts';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { enrol, newClazz } from '../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { readCsv } from '../../../tools/proofs/test/read-csv.ts';
import { transactionStatements } from './count-statements.ts';
import { MONDAY, startSchool, createSchoolInNewOrg, type School } from './test-school.ts';

const DAY = 24;
const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
/**
 * Anna has 10 paid hours, Bob has a gift of 1.50 that expires in a day, Cem has a debt of 2, and Dora has no hours.
 * Eve has 3 paid hours and is in no class.
 */
const ALL = ['anna', 'bob', 'cem', 'dora', 'eve'] as const;
let clazz_id: string;
let lesson_id: string;

beforeAll(async () => {
  ({ fixture } = await startSchool(clock));
  ({ school } = createSchoolInNewOrg(fixture, clock));
  clazz_id = await school.classOf(['anna', 'bob', 'cem', 'dora']);
  await school.grant('anna', '10', { price_minor: 90_000, currency: 'EUR' });
  await school.grant('bob', '1.5', { kind: 'gift', expires_at: school.inHours(DAY) });
  await school.grant('eve', '3', { price_minor: 3_000, currency: 'USD', expires_at: school.inHours(30 * DAY) });
  lesson_id = (await school.lesson(clazz_id, -3, { hours: '2' })).id;
  expectOk(await school.submit(lesson_id, { anna: 'trial', bob: 'trial', cem: 'present', dora: 'trial' }));
});
afterAll(() => fixture?.stop());

type Accounts = Request<typeof ledgerCalls.listHourAccounts>['query'];
type Entries = Request<typeof ledgerCalls.listHourEntries>['query'];
const accounts = (query: Partial<Accounts> = {}) => school.supervisor.ok(ledgerCalls.listHourAccounts, { query });
const studentsOf = async (query: Partial<Accounts> = {}) => (await accounts(query)).items.map((it) => it.student_id);
const ledger = (query: Partial<Entries> = {}) => school.supervisor.ok(ledgerCalls.listHourEntries, { query });
const describeEntry = ({ student_id, kind, amount }: HourEntry): string => `${student_id} ${kind} ${amount}`;
const describeLedger = async (query: Partial<Entries> = {}) => (await ledger(query)).items.map(describeEntry);
const csvAt = async (path: '/clazz/hour/account' | '/clazz/hour/entry'): Promise<string[]> => {
  const answer: Sent = await school.supervisor.send('GET', path, undefined, { accept: 'text/csv' });
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
  return String(expectOk(answer)).trimEnd().split('\r\n');
};

describe('the accounts of an organization', () => {
  it('contain each student with a ledger or an active enrolment, with balance, debt and expiring hours', async () => {
    const none = { student_name: null, owed: '0.00', expiring: '0.00', next_expiry: null };
    const soon = school.inHours(DAY);
    expect((await accounts()).items).toEqual([
      { ...none, student_id: 'anna', balance: '10.00' },
      { ...none, student_id: 'bob', balance: '1.50', owed: '0.00', expiring: '1.50', next_expiry: soon },
      { ...none, student_id: 'cem', balance: '-2.00', owed: '2.00' },
      { ...none, student_id: 'dora', balance: '0.00' },
      { ...none, student_id: 'eve', balance: '3.00', expiring: '3.00', next_expiry: school.inHours(30 * DAY) },
    ]);
  });

  it('are filtered by a balance below a value, by debt, by expiry and by a part of the name', async () => {
    expect(await studentsOf({ balance_below: '1.5' })).toEqual(['cem', 'dora']);
    expect(await studentsOf({ balance_below: '1.51', sort: 'balance' })).toEqual(['cem', 'dora', 'bob']);
    expect(await studentsOf({ in_debt: 'true' })).toEqual(['cem']);
    expect(await studentsOf({ in_debt: 'false' })).toEqual(['anna', 'bob', 'dora', 'eve']);
    expect(await studentsOf({ expiring_before: school.inHours(DAY) })).toEqual([]);
    expect(await studentsOf({ expiring_before: school.inHours(2 * DAY) })).toEqual(['bob']);
    expect(await studentsOf({ keyword: 'AN' })).toEqual(['anna']);
    const later = await accounts({ expiring_before: school.inHours(2 * DAY), keyword: 'bob' });
    expect(singleElement(later.items).expiring).toBe('1.50');
  });

  it('are sorted in both directions, and paged', async () => {
    expect(await studentsOf({ sort: '-balance' })).toEqual(['anna', 'eve', 'bob', 'dora', 'cem']);
    expect(await studentsOf({ sort: '-student_name' })).toEqual(ALL.toReversed());
    const paged = async (sort: 'balance' | 'next_expiry'): Promise<string[]> => {
      const seen: string[] = [];
      for await (const rows of pagesOf((cursor) => accounts({ limit: '2', sort, cursor })))
        seen.push(...rows.map((row) => row.student_id));
      return seen;
    };
    expect(await paged('balance')).toEqual(['cem', 'dora', 'bob', 'eve', 'anna']);
    expect(await paged('next_expiry')).toEqual(['bob', 'eve', 'anna', 'cem', 'dora']);
  });

  it('are for staff: a teacher sees only students of their classes and lessons', async () => {
    const seen = async (sub: string) => {
      const teacher = school.as({ role: 'TEACHER', sub });
      return (await teacher.ok(ledgerCalls.listHourAccounts)).items.map((it) => it.student_id);
    };
    expect(await seen('teacher-1')).toEqual(['anna', 'bob', 'cem', 'dora']);
    expect(await seen('nobody')).toEqual([]);
    const { id } = await newClazz(school.supervisor, { lead_teacher_id: 'other' });
    await enrol(school.supervisor, id, ['eve']);
    await school.lesson(id, 50, { teacher_id: 'guest' });
    expect([await seen('other'), await seen('guest')]).toEqual([['eve'], ['eve']]);
    expectRefusal(await school.student('anna').get('/clazz/hour/account'), 403, 'forbidden');
    expectRefusal(await school.student('anna').get('/clazz/hour/entry'), 403, 'forbidden');
    const teacher = school.as({ role: 'TEACHER', sub: 'guest' });
    expect((await teacher.ok(ledgerCalls.listHourEntries)).items.map(describeEntry)).toEqual(['eve grant 3.00']);
  });

  it('have the names of the directory, and are filtered and sorted by them', async () => {
    const { school: other } = createSchoolInNewOrg(fixture, clock);
    const members = [
      { user_id: 'x', role: 'STUDENT', display_name: 'Zoe' } as const,
      { user_id: 'z', role: 'STUDENT', display_name: 'Adam' } as const,
      { user_id: 'boss', role: 'SUPERVISOR', display_name: 'Bo Ss' } as const,
    ];
    await other.supervisor.ok(memberCalls.putMembers, { body: { members } });
    const boss = other.as({ role: 'SUPERVISOR', sub: 'boss' });
    const grants = ['x', 'y', 'z'].map((student_id) => ({ student_id, hours: 1 }));
    const granted = await boss.ok(hourCalls.grantHoursInBulk, { body: { grants } });
    expect(granted.items.map((it) => it.student_name)).toEqual(['Zoe', null, 'Adam']);
    const named = async (query: Partial<Accounts>) =>
      (await boss.ok(ledgerCalls.listHourAccounts, { query })).items.map((it) => it.student_name ?? it.student_id);
    expect(await named({})).toEqual(['Adam', 'Zoe', 'y']);
    expect(await named({ sort: '-student_name', limit: '2' })).toEqual(['y', 'Zoe']);
    expect(await named({ keyword: 'zo' })).toEqual(['Zoe']);
    const { items } = await boss.ok(ledgerCalls.listHourEntries, { query: { student_id: 'x,y' } });
    const ofThem = items.map((it) => [it.student_name, it.actor_name]);
    expect(ofThem.toSorted()).toEqual([
      [null, 'Bo Ss'],
      ['Zoe', 'Bo Ss'],
    ]);
    expect((await other.account('z')).student_name).toBe('Adam');
  });

  it('contain a student who was promoted from the waiting list', async () => {
    const { school: other } = createSchoolInNewOrg(fixture, clock);
    const id = await other.classOf(['first'], { capacity: 1 });
    await other.supervisor.post(`/clazz/${id}/student`, { student_ids: ['second'], waitlist: true });
    const all = async () => (await other.supervisor.ok(ledgerCalls.listHourAccounts)).items.map((it) => it.student_id);
    expect(await all()).toEqual(['first']);
    expectOk(await other.supervisor.post(`/clazz/${id}/student/first/withdraw`));
    expect(await all()).toEqual(['second']);
  });

  it('are exported completely, with negative balances as numbers', async () => {
    const lines = await csvAt('/clazz/hour/account');
    expect(lines[0]).toMatch(/^student_id,student_name,balance,owed,expiring,next_expiry/);
    expect(lines).toHaveLength(1 + ALL.length);
    expect(lines.find((line) => line.startsWith('cem,'))).toMatch(/^cem,,-2\.00,2\.00,0\.00,/);
    const answer = await school.supervisor.get('/clazz/hour/account', { accept: 'text/csv' });
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="accounts.csv"');
  });
});

describe('the ledger of an organization', () => {
  it('contains the entries of all students, newest first, with price and package', async () => {
    expect(await describeLedger()).toEqual(
      expect.arrayContaining(['anna grant 10.00', 'bob grant 1.50', 'cem consume -2.00', 'eve grant 3.00']),
    );
    const { items } = await ledger();
    expect(items.map((it) => it.created_at)).toEqual(
      items
        .map((it) => it.created_at)
        .toSorted()
        .toReversed(),
    );
    const sold = items.find((it) => it.student_id === 'anna');
    expect(sold).toMatchObject({ price_minor: 90_000, currency: 'EUR', package_id: null, package_title: null });
    const [mine] = (await school.supervisor.ok(hourCalls.listStudentHourEntries, { path: { student_id: 'anna' } }))
      .items;
    expect(mine).toEqual(sold);
    const free = items.filter((it) => it.student_id === 'bob' || it.student_id === 'cem');
    expect(free.map((it) => [it.price_minor, it.currency])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('is filtered by kinds, student, lesson and time', async () => {
    expect(await describeLedger({ kind: 'consume,refund' })).toEqual(['cem consume -2.00']);
    expect((await describeLedger({ kind: 'grant' })).toSorted()).toEqual([
      'anna grant 10.00',
      'bob grant 1.50',
      'eve grant 3.00',
    ]);
    expect(await describeLedger({ student_id: 'eve' })).toEqual(['eve grant 3.00']);
    expect(await describeLedger({ student_id: 'eve', kind: 'consume' })).toEqual([]);
    expect(await describeLedger({ lesson_id })).toEqual(['cem consume -2.00']);
    expect(await describeLedger({ to: clock.after(0) })).toEqual([]);
    expect(await describeLedger({ from: clock.after(0) })).toHaveLength(4);
    const wrong = await school.supervisor.refused(ledgerCalls.listHourEntries, { query: { kind: 'grant,stolen' } });
    expect([wrong.status, singleElement(wrong.errors).path]).toEqual([400, '/query/kind']);
  });

  it('is exported completely, with negative amounts as numbers', async () => {
    const lines = await csvAt('/clazz/hour/entry');
    expect(lines).toHaveLength(1 + 4);
    expect(lines[0]).toMatch(
      /^created_at,student_id,student_name,kind,amount,balance_before,balance_after,price_minor,currency,/,
    );
    expect(lines.filter((line) => line.includes(',cem,,consume,-2.00,0.00,-2.00,,,'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(',anna,,grant,10.00,0.00,10.00,90000,EUR,'))).toHaveLength(1);
  });
});

describe('a list of hours', () => {
  it('is exported without a header line from a cursor on', async () => {
    const { next_cursor } = await ledger({ limit: '1' });
    const path = `/clazz/hour/entry?bom=true&cursor=${encodeURIComponent(next_cursor ?? '')}`;
    const answer: Sent = await school.supervisor.send('GET', path, undefined, { accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=absent');
    const rows = readCsv(String(expectOk(answer)));
    expect([rows.length, rows.every(([created_at = '']) => /^2\d{3}-/.test(created_at))]).toEqual([3, true]);
  });
});

describe('lists of hours', () => {
  it('expire due hours before they are read', async () => {
    const { school: other } = createSchoolInNewOrg(fixture, clock);
    await Promise.all(
      ['x', 'y', 'z'].map((student) => other.grant(student, '4', { kind: 'gift', expires_at: other.inHours(1) })),
    );
    const seen = (query: Partial<Accounts> = {}) => other.supervisor.ok(ledgerCalls.listHourAccounts, { query });
    expect((await seen({ balance_below: '4' })).items).toEqual([]);
    await clock.later(HOUR_MS, async () => {
      expect((await seen({ balance_below: '4' })).items).toHaveLength(3);
    });
    const { school: third } = createSchoolInNewOrg(fixture, clock);
    await third.grant('x', '4', { kind: 'gift', expires_at: third.inHours(1) });
    await clock.later(HOUR_MS, async () => {
      const query = { kind: 'expire' };
      expect((await third.supervisor.ok(ledgerCalls.listHourEntries, { query })).items.map(describeEntry)).toEqual([
        'x expire -4.00',
      ]);
    });
  });

  it('take one statement, and one that records the read, for any number of rows', async () => {
    const kinds = async (table: RegExp, work: () => Promise<unknown>) =>
      (await transactionStatements(table, work)).map((text) => /\w+/.exec(text)?.[0]);
    const wanted = ['begin', 'select', 'insert', 'commit'];
    for (const limit of ['1', '100']) {
      expect(await kinds(/from hour_account a/, () => accounts({ limit }))).toEqual(wanted);
      expect(await kinds(/from hour_entry e/, () => ledger({ limit }))).toEqual(wanted);
    }
    const summary = () => school.supervisor.ok(ledgerCalls.getHourSummary, { query: { zone: 'UTC' } });
    expect(await kinds(/from hour_entry e/, summary)).toEqual(wanted);
  });

  it('are recorded in the audit log of each class of a shown student', async () => {
    const reads = async () => {
      const { items } = await school.supervisor.ok(auditCalls.listClazzAuditEntries, {
        path: { id: clazz_id },
        query: { actor_id: 'reader', action: 'read' },
      });
      return items.length;
    };
    const reader = school.as({ role: 'SUPERVISOR', sub: 'reader' });
    await reader.ok(ledgerCalls.listHourAccounts, { query: { keyword: 'anna' } });
    await expect.poll(reads).toBe(1);
    await reader.ok(ledgerCalls.listHourEntries, { query: { student_id: 'anna' } });
    await expect.poll(reads).toBe(2);
  });
});
