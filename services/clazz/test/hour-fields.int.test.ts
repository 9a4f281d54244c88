import { LotFields, type PolicySettings } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, openSchool, type School } from './test-school.ts';

/*
 * Every field of a lot and every setting of a policy goes every way there is: a new one does not compile here until it
 * has a value, and then has to arrive wherever the others do.
 */
type Values<F extends { filled: (given: never, more: never) => unknown }> = {
  readonly [K in keyof Parameters<F['filled']>[0]]-?: NonNullable<Parameters<F['filled']>[0][K]>;
};

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
});
afterAll(() => fixture?.stop());

describe('every field of a lot', () => {
  /** A published package with hours of one course. */
  const published = async () => {
    const course = expectOk(await school.supervisor.post('/ws/course', { title: 'Chess' }), 201);
    const base = '/clazz/course-package';
    const created = expectOk(await school.supervisor.post(base, { title: 'Ten', total_hours: '10' }), 201);
    const items = [{ course_id: course.id, title: 'a', hours: 1 }];
    expectOk(await school.supervisor.post(`${base}/item/sync`, { package_id: created.id, items }));
    expectOk(await school.supervisor.post(`${base}/publish/${created.id}`));
    return { course_id: course.id, package_id: created.id };
  };
  /** Others than a lot has of which only the hours are said. */
  const others = async (): Promise<Values<typeof LotFields>> => ({
    ...(await published()),
    price_minor: 4_200,
    currency: 'EUR',
    kind: 'gift',
    package_version: 1,
    expires_at: '2044-03-01T12:00:00.000Z',
  });

  it('is set when hours are granted, kept, and kept by the student they are moved to', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const OTHER = await others();
    const { balance, student_id, student_name: _name, ...lot } = await school.grant(ann, '3', OTHER);
    expect([balance, student_id]).toEqual(['3.00', ann]);
    expect(lot).toMatchObject(OTHER);
    expect((await school.account(ann)).lots).toEqual([lot]);
    const move = { from_student_id: ann, to_student_id: bob, hours: '3', reason: 'siblings' };
    expectOk(await school.supervisor.post('/clazz/hour/transfer', move));
    const moved = singleElement((await school.account(bob)).lots);
    expect(moved).toEqual({ ...lot, id: moved.id });
  });

  it('has its standard when it is left out or null', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const fields = Object.keys(await others());
    expect(fields.toSorted()).toEqual(Object.keys(LotFields.create).toSorted());
    const plain = await school.grant(ann, '3');
    const cleared = await school.grant(bob, '3', Object.fromEntries(fields.map((field) => [field, null])));
    expect(cleared).toEqual({ ...plain, id: cleared.id, student_id: bob });
    const standards = { price_minor: 0, currency: null, kind: 'paid', package_id: null, package_version: null };
    expect(plain).toMatchObject({ ...standards, course_id: null, expires_at: null });
  });
});

describe('every setting of a policy', () => {
  /** Others than a policy has of which nothing is said. */
  const OTHER: PolicySettings = {
    zone: 'Asia/Shanghai',
    currency: 'EUR',
    people: 'listed',
    rooms: 'listed',
    org_name: 'School of Song',
    student_money: 'adults',
    roll_call: { lead_minutes: 1, edit_window_days: 2 },
    leave: {
      deadline_hours: 3,
      quota_per_30_days: 4,
      late: 'refuse',
      approval: 'in_time',
      make_up_credit: false,
      make_up_expires_days: 5,
    },
    charge: {
      present: '0.91',
      late: '0.92',
      absent: '0.93',
      leave_in_time: '0.94',
      leave_late: '0.95',
      makeup: '0.96',
      trial: '0.97',
      cancelled_by_teacher: '0.98',
      cancelled_by_org: '0.99',
    },
    hours: {
      overdraft: 'forbid',
      overdraft_limit: '6.00',
      reversal_extension_days: 7,
      draw_order: ['paid', 'gift'],
    },
  };
  const read = async () => expectOk(await school.supervisor.get('/clazz/policy'));

  it('is set, kept, and back at its standard when it is left out', async () => {
    const { version, ...standard } = await read();
    const put = expectOk(await school.supervisor.put('/clazz/policy', OTHER));
    expect(put).toEqual({ ...OTHER, version: version + 1 });
    expect(await read()).toEqual(put);
    const {
      zone: _zone,
      currency: _currency,
      people: _people,
      rooms: _rooms,
      org_name: _name,
      student_money: _money,
      ...groups
    } = OTHER;
    const {
      zone: _standard,
      currency: _ofStandard,
      people: _peopleOf,
      rooms: _roomsOf,
      org_name: _nobody,
      student_money: _seen,
      ...others
    } = standard;
    expect([_ofStandard, _nobody]).toEqual([null, null]);
    const standards: Readonly<Record<string, Readonly<Record<string, unknown>>>> = others;
    for (const [group, settings] of Object.entries(groups)) {
      for (const [name, value] of Object.entries(settings)) {
        expect([group, name, value]).not.toEqual([group, name, standards[group]?.[name]]);
        // One that is said alone leaves the others at their standards.
        const alone = expectOk(await school.supervisor.put('/clazz/policy', { [group]: { [name]: value } }));
        expect(alone).toMatchObject({ ...standard, [group]: { ...standards[group], [name]: value } });
      }
    }
    expect(expectOk(await school.supervisor.put('/clazz/policy', {}))).toMatchObject(standard);
  });
});
