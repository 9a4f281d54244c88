import { type ListedLeave, leaveCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';
import { transactionStatements } from './count-statements.ts';

const clock = clockAt(MONDAY);
const DAY = 24;
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

const leaveOf = async (student_id: string, lesson_id: string): Promise<string> => {
  const body = { student_id, lesson_id, reason: 'a trip' };
  return singleElement((await school.supervisor.ok(leaveCalls.requestLeave, { body })).items).id;
};
const listed = async (query: Record<string, string>): Promise<ListedLeave[]> =>
  (await school.supervisor.ok(leaveCalls.listLeaves, { query })).items;
const ids = (leaves: readonly { id: string }[]) => leaves.map(({ id }) => id).toSorted();

describe('reading leave', () => {
  it('filters by several states, classes and students, and by the start of the lesson', async () => {
    const [ann = '', bob = ''] = school.students(2);
    const [one, two] = [await school.classOf([ann]), await school.classOf([bob], { name: 'Botany' })];
    const early = await leaveOf(ann, (await school.lesson(one, 2 * DAY)).id);
    const late = await leaveOf(ann, (await school.lesson(one, 9 * DAY)).id);
    const other = await leaveOf(bob, (await school.lesson(two, 3 * DAY)).id);
    expectOk(await school.supervisor.post(`/clazz/leave/${late}/approve`));
    expectOk(await school.supervisor.post(`/clazz/leave/${other}/reject`));
    const both = { clazz_id: `${one},${two}` };
    expect(ids(await listed(both))).toEqual(ids([{ id: early }, { id: late }, { id: other }]));
    expect(ids(await listed({ ...both, status: 'pending,approved' }))).toEqual(ids([{ id: early }, { id: late }]));
    expect(ids(await listed({ student_id: `${ann},${bob}`, status: 'rejected' }))).toEqual([other]);
    const range = { from: school.inHours(2 * DAY), to: school.inHours(3 * DAY) };
    expect(ids(await listed({ ...both, ...range }))).toEqual([early]);
    expect(ids(await listed({ ...both, from: school.inHours(3 * DAY) }))).toEqual(ids([{ id: late }, { id: other }]));
    expectRefusal(await school.supervisor.get('/clazz/leave?status=pending,lost'), 400, 'invalid_request');
    expect(singleElement(await listed({ student_id: bob }))).toMatchObject({
      clazz_name: 'Botany',
      lesson_starts_at: school.inHours(3 * DAY),
      lesson_ends_at: school.inHours(3 * DAY + 1),
      student_name: null,
    });
  });

  it('shows the charge of an approval and the used quota only to staff who may decide', async () => {
    await school.setPolicy({
      leave: { quota_per_30_days: 3, deadline_hours: 48 },
      charge: { leave_in_time: '0.25', leave_late: '1.00' },
    });
    const [ann = ''] = school.students(1);
    await fixture.as({ role: 'SUPERVISOR' }).put('/ws/member/bulk', {
      members: [{ user_id: ann, role: 'STUDENT', display_name: 'Ann' }],
    });
    const clazz = await school.classOf([ann]);
    const leaveAfter = async (hours: number, worth = '1.50') =>
      leaveOf(ann, (await school.lesson(clazz, hours, { hours: worth })).id);
    // Three lessons are within 30 days of the first; the last one is 30 days after it.
    const [first, tomorrow, second] = [
      await leaveAfter(3 * DAY),
      await leaveAfter(DAY, '1.01'),
      await leaveAfter(10 * DAY),
    ];
    const last = await leaveAfter(33 * DAY);
    const readLeave = async (id: string) => school.supervisor.ok(leaveCalls.getLeave, { path: { id } });
    const limit = 3;
    expect(await readLeave(first)).toMatchObject({
      student_name: 'Ann',
      approval: { charge_hours: '0.38' },
      quota: { limit, used: 3 },
    });
    expect(await readLeave(tomorrow)).toMatchObject({ approval: { charge_hours: '1.01' }, quota: { limit, used: 3 } });
    expect(await readLeave(second)).toMatchObject({ quota: { limit, used: 3 } });
    expect(await readLeave(last)).toMatchObject({ quota: { limit, used: 2 } });
    expectOk(await school.supervisor.post(`/clazz/leave/${first}/reject`));
    expect(await readLeave(tomorrow)).toMatchObject({ quota: { limit, used: 2 } });
    // A rejected leave counts itself in its own answer only.
    expect(await readLeave(first)).toMatchObject({ quota: { limit, used: 3 } });
    const lead = expectOk(await school.teacher.get(`/clazz/leave/${second}`));
    expect(lead).toMatchObject({ quota: { used: 2 }, approval: { charge_hours: '0.38' } });
    for (const reader of [school.student(ann), fixture.as({ role: 'TEACHER', sub: 'another' })]) {
      const shown = expectOk(await reader.get(`/clazz/leave/${second}`));
      expect(shown).toMatchObject({ id: second, clazz_name: 'Algebra' });
      expect([shown.approval, shown.quota]).toEqual([undefined, undefined]);
    }
    expectRefusal(await school.student('another').get(`/clazz/leave/${second}`), 404, 'not_found');
    expectRefusal(
      await fixture.as({ role: 'SUPERVISOR', org: crypto.randomUUID() }).get(`/clazz/leave/${second}`),
      404,
      'not_found',
    );
    expectRefusal(await school.student(ann).get(`/clazz/leave?student_id=${ann},bob`), 403, 'forbidden');
    await school.setPolicy({});
  });

  it('takes one statement for a list of any length, and one that records the read in the audit log', async () => {
    const students = school.students(12);
    const clazz = await school.classOf(students);
    const lesson = await school.lesson(clazz, 5 * DAY);
    for (const student of students) await leaveOf(student, lesson.id);
    const sent: string[][] = [];
    for (const limit of ['1', '100'])
      sent.push(await transactionStatements(/quota_taken/, () => listed({ clazz_id: clazz, limit })));
    sent.push(
      await transactionStatements(/quota_taken/, async () =>
        expectOk(await school.supervisor.get(`/clazz/leave?limit=1`)),
      ),
    );
    for (const texts of sent) {
      expect(texts).toEqual([
        'begin',
        expect.stringContaining('quota_taken'),
        expect.stringContaining('insert into log_entry'),
        'commit',
      ]);
    }
  });
});
