import { LotFields, type PolicySettings } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

/*
 * These tests set every field of a lot and every setting of a policy, and expect it in every answer. A new field or
 * setting does not compile here until it has a value.
 */
type Values<F extends { withDefaults: (given: never, more: never) => unknown }> = {
  readonly [K in keyof Parameters<F['withDefaults']>[0]]-?: NonNullable<Parameters<F['withDefaults']>[0][K]>;
};

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

describe('every field of a lot', () => {
  /** A published package with one item. */
  const publishPackage = async () => {
    const course = expectOk(await school.supervisor.post('/ws/course', { title: 'Chess' }), 201);
    const base = '/clazz/course-package';
    const created = expectOk(await school.supervisor.post(base, { title: 'Ten', total_hours: '10' }), 201);
    const items = [{ course_id: course.id, title: 'a', hours: 1 }];
    expectOk(await school.supervisor.post(`${base}/item/sync`, { package_id: created.id, items }));
    expectOk(await school.supervisor.post(`${base}/publish/${created.id}`));
    return { course_id: course.id, package_id: created.id };
  };
  /** Values that differ from the defaults of a lot. */
  const otherValues = async (): Promise<Values<typeof LotFields>> => ({
    ...(await publishPackage()),
    price_minor: 4_200,
    currency: 'EUR',
    kind: 'gift',
    package_version: 1,
    expires_at: '2044-03-01T12:00:00.000Z',
  });

  it('is stored by a grant, and kept by a transfer to another student', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const OTHER = await otherValues();
    const { balance, student_id, student_name: _name, ...lot } = await school.grant(ann, '3', OTHER);
    expect([balance, student_id]).toEqual(['3.00', ann]);
    expect(lot).toMatchObject(OTHER);
    expect((await school.account(ann)).lots).toEqual([lot]);
    const move = { from_student_id: ann, to_student_id: bob, hours: '3', reason: 'siblings' };
    expectOk(await school.supervisor.post('/clazz/hour/transfer', move));
    const moved = singleElement((await school.account(bob)).lots);
    expect(moved).toEqual({ ...lot, id: moved.id });
  });

  it('has its default when it is omitted or null', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const fields = Object.keys(await otherValues());
    expect(fields.toSorted()).toEqual(Object.keys(LotFields.create).toSorted());
    const plain = await school.grant(ann, '3');
    const cleared = await school.grant(bob, '3', Object.fromEntries(fields.map((field) => [field, null])));
    expect(cleared).toEqual({ ...plain, id: cleared.id, student_id: bob });
    const defaults = { price_minor: 0, currency: null, kind: 'paid', package_id: null, package_version: null };
    expect(plain).toMatchObject({ ...defaults, course_id: null, expires_at: null });
  });
});

describe('every setting of a policy', () => {
  /** Values that differ from the defaults of a policy. */
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

  it('is stored, and is reset to its default when it is omitted', async () => {
    const { version, ...defaultPolicy } = await read();
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
      zone: _defaultZone,
      currency: defaultCurrency,
      people: _defaultPeople,
      rooms: _defaultRooms,
      org_name: defaultName,
      student_money: _defaultMoney,
      ...others
    } = defaultPolicy;
    expect([defaultCurrency, defaultName]).toEqual([null, null]);
    const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = others;
    for (const [group, settings] of Object.entries(groups)) {
      for (const [name, value] of Object.entries(settings)) {
        expect([group, name, value]).not.toEqual([group, name, defaults[group]?.[name]]);
        // A setting that is sent alone leaves the others at their defaults.
        const alone = expectOk(await school.supervisor.put('/clazz/policy', { [group]: { [name]: value } }));
        expect(alone).toMatchObject({ ...defaultPolicy, [group]: { ...defaults[group], [name]: value } });
      }
    }
    expect(expectOk(await school.supervisor.put('/clazz/policy', {}))).toMatchObject(defaultPolicy);
  });
});
