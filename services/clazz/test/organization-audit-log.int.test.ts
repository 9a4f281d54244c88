import { auditCalls, type OrgAuditEntry } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

const auditEntries = async (query: Record<string, string>): Promise<OrgAuditEntry[]> =>
  (await school.supervisor.ok(auditCalls.listAuditEntries, { query: { limit: '100', ...query } })).items;
const describeEntries = (entries: readonly OrgAuditEntry[]) =>
  entries.map(({ action, entity }) => `${action} ${entity}`);
const bursar = () => fixture.as({ role: 'SUPERVISOR', sub: 'bursar' });

describe('the audit log of an organization', () => {
  it('contains changes of the policy and of holidays, which belong to no class', async () => {
    await school.setPolicy({ zone: 'Europe/Berlin' });
    await school.setPolicy({ zone: 'Europe/Berlin' });
    const [policy] = await auditEntries({ entity: 'policy' });
    expect(policy).toMatchObject({
      action: 'update',
      entity_id: fixture.org,
      clazz_id: null,
      clazz_name: null,
      changes: { zone: { before: 'UTC', after: 'Europe/Berlin' } },
    });
    expect(await auditEntries({ entity: 'policy' })).toHaveLength(1);
    await school.setPolicy({});
    const put = async (...holidays: { date: string; name: string }[]) =>
      expectOk(await school.supervisor.put('/clazz/holiday', { holidays }));
    await put({ date: '2027-05-01', name: 'May Day' }, { date: '2027-10-03', name: 'Unity' });
    await put({ date: '2027-05-01', name: 'Labour Day' });
    await put({ date: '2027-05-01', name: 'Labour Day' });
    const holidays = await auditEntries({ entity: 'holiday' });
    expect(holidays.map(({ changes }) => changes)).toEqual([
      {
        '2027-05-01': { before: 'May Day', after: 'Labour Day' },
        '2027-10-03': { before: 'Unity', after: null },
      },
      { '2027-05-01': { before: null, after: 'May Day' }, '2027-10-03': { before: null, after: 'Unity' } },
    ]);
    await put();
  });

  it('contains grants, transfers and adjustments of hours with their actor', async () => {
    const [ann = '', bob = ''] = school.students(2);
    const members = [{ user_id: 'bursar', role: 'SUPERVISOR', display_name: 'Bursar' }];
    expectOk(await school.supervisor.put('/ws/member/bulk', { members }));
    expectOk(await bursar().post('/clazz/hour/grant', { student_id: ann, hours: '10' }), 201);
    const move = { from_student_id: ann, to_student_id: bob, hours: '4', reason: 'siblings' };
    expectOk(await bursar().post('/clazz/hour/transfer', move));
    expectOk(await bursar().post('/clazz/hour/adjust', { student_id: bob, hours: '-1', reason: 'a mistake' }));
    const entries = await auditEntries({ entity: 'entry', actor_id: 'bursar' });
    const entryOf = (student: string, kind: string) =>
      singleElement(
        entries.filter(({ changes }) => changes['student_id']?.after === student && changes['kind']?.after === kind),
      );
    expect(entries).toHaveLength(4);
    expect(entryOf(ann, 'grant')).toMatchObject({
      action: 'create',
      actor_id: 'bursar',
      actor_name: 'Bursar',
      changes: { amount: { after: '10.00' }, balance: { before: '0.00', after: '10.00' } },
    });
    expect(entryOf(bob, 'transfer_in')).toMatchObject({ reason: 'siblings', changes: { amount: { after: '4.00' } } });
    expect(entryOf(bob, 'adjust')).toMatchObject({ reason: 'a mistake', changes: { amount: { after: '-1.00' } } });
    const [ledger] = (await school.entries(bob)).slice(-1);
    expect(entryOf(bob, 'adjust').entity_id).toBe(ledger?.id);
    expectOk(await bursar().post(`/ws/member/${bob}/erase`, { reason: 'asked for it' }));
    const erased = await auditEntries({ entity: 'entry', action: 'create', student_id: bob });
    expect(erased.map(({ reason }) => reason)).toEqual([null, null]);
    expect(expectOk(await school.supervisor.get('/clazz/audit-log/verify'))).toMatchObject({ ok: true });
  });

  it('is filtered by student, by record and by several entities', async () => {
    const [ann = '', bob = ''] = school.students(2);
    const clazz = await school.classOf([ann, bob], { name: 'Botany' });
    await school.grant(ann, '5');
    const lesson = await school.lesson(clazz, -3);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expectOk(await school.submit(lesson.id, { [bob]: 'late' }));
    expectOk(await school.supervisor.post(`/clazz/${clazz}/student/${ann}/suspend`, {}));
    expectOk(await bursar().get(`/clazz/hour/account/${ann}`));
    const later = await school.lesson(clazz, 90);
    const request = { student_id: bob, lesson_id: later.id, reason: 'a trip' };
    const leave = singleElement(expectOk(await school.supervisor.post('/clazz/leave', request), 201).items);
    expect(describeEntries(await auditEntries({ student_id: ann }))).toEqual([
      'read account',
      'update enrolment',
      'create roll_call',
      'create entry',
      'create enrolment',
    ]);
    expect(describeEntries(await auditEntries({ student_id: ann, action: 'read,update' }))).toEqual([
      'read account',
      'update enrolment',
    ]);
    expect(describeEntries(await auditEntries({ student_id: bob }))).toEqual([
      'create leave',
      'update roll_call',
      'create enrolment',
    ]);
    expect(await auditEntries({ entity_id: `${leave.id},${crypto.randomUUID()}` })).toMatchObject([
      { entity: 'leave', clazz_id: clazz, clazz_name: 'Botany' },
    ]);
    const both = await auditEntries({ entity: 'leave,roll_call', student_id: bob });
    expect(describeEntries(both)).toEqual(['create leave', 'update roll_call']);
    const rows = [];
    const read = (cursor: string | undefined) =>
      school.supervisor.ok(auditCalls.listAuditEntries, {
        query: { student_id: ann, limit: '2', ...(cursor === undefined ? {} : { cursor }) },
      });
    for await (const page of pagesOf(read)) rows.push(...page);
    expect(rows).toEqual(await auditEntries({ student_id: ann }));
    expect(await auditEntries({ from: school.inHours(1), student_id: ann })).toEqual([]);
    expect(await auditEntries({ to: clock.now().toISOString(), student_id: ann })).toEqual([]);
    expectRefusal(await school.supervisor.get('/clazz/audit-log?entity=leave,secret'), 400, 'invalid_request');
  });

  it('is read only by supervisors of the organization, and is exported as CSV', async () => {
    expectRefusal(await school.teacher.get('/clazz/audit-log'), 403, 'forbidden');
    expectRefusal(await school.student('student-1').get('/clazz/audit-log'), 403, 'forbidden');
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: crypto.randomUUID() });
    expect((await elsewhere.ok(auditCalls.listAuditEntries, { query: {} })).items).toEqual([]);
    const { body } = await school.supervisor.send('GET', '/clazz/audit-log', undefined, { accept: 'text/csv' });
    const csv = String(body);
    const [header, ...lines] = csv.trim().split('\r\n');
    expect(header?.split(',').slice(0, 3)).toEqual(['seq', 'occurred_at', 'actor_id']);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.some((line) => line.includes('update,holiday'))).toBe(true);
  });
});
