import { JihuaFields, Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { isPastChanged, plannedDaysOf, requireDays, withFrozenGap, type Plan } from './jihua.rules.ts';

describe('A plan without any day', () => {
  const MONDAY_TO_FRIDAY = { title: 'p', starts_on: '2026-03-02', ends_on: '2026-03-06', zone: 'UTC' };
  const errorsOf = (fields: Partial<Plan>): unknown => {
    try {
      requireDays(JihuaFields.withDefaults({ ...MONDAY_TO_FRIDAY, ...fields }, {}));
    } catch (error) {
      if (error instanceof Problem) return error.extra.errors;
      throw error;
    }
    return undefined;
  };

  it.each<[string, Partial<Plan>]>([
    ['rrule', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }],
    ['rrule', { rrule: 'FREQ=WEEKLY;BYDAY=SU' }],
    ['rrule', { rrule: 'FREQ=DAILY;UNTIL=20260301' }],
    ['weekdays', { weekdays: [6, 7] }],
    ['ends_on', { zone: 'Pacific/Apia', starts_on: '2011-12-30', ends_on: '2011-12-30' }],
  ])('is refused with a problem of %s: %o', (field, fields) =>
    expect(errorsOf(fields)).toEqual([{ path: `/body/${field}`, message: 'makes no day of the plan' }]),
  );

  it('is accepted while its days are frozen', () => {
    const fields = { rrule: 'FREQ=WEEKLY;BYDAY=MO', frozen_dates: ['2026-03-02'] };
    expect(errorsOf(fields)).toBeUndefined();
  });
});

const plan = (fields: Partial<Plan>): Plan => ({
  ...JihuaFields.withDefaults({ title: 'p', starts_on: '2026-03-02', ends_on: '2026-03-05', zone: 'UTC' }, {}),
  ...fields,
});

it.each([
  ['eUROPE/bERLIN', 'Europe/Berlin', false],
  ['Asia/Calcutta', 'Asia/Kolkata', false],
  ['Europe/Berlin', 'Asia/Shanghai', true],
])('a change of the zone from %s to %s changes past days: %s', (zone, next, expected) =>
  expect(isPastChanged(plan({ zone }), plan({ zone: next }), '')).toBe(expected),
);

describe('Extending a plan', () => {
  const after = plan({ ends_on: '2026-03-12', frozen_dates: ['2026-03-11'] });
  const frozen = (before: Partial<Plan>, today: string) => withFrozenGap(plan(before), after, today).frozen_dates;

  it('freezes the days between the old end and today', () => {
    expect(frozen({}, '2026-03-08')).toEqual(['2026-03-06', '2026-03-07', '2026-03-11']);
    const days = plannedDaysOf(withFrozenGap(plan({}), after, '2026-03-08'));
    expect(days.filter((day) => day > '2026-03-05')).toEqual(['2026-03-08', '2026-03-09', '2026-03-10', '2026-03-12']);
  });

  it.each([
    ['on its last day', {}, '2026-03-05'],
    ['on the day after its end', {}, '2026-03-06'],
    ['when the end does not move', { ends_on: '2026-03-12' }, '2026-03-20'],
  ])('adds no frozen day %s', (_name, before, today) => expect(frozen(before, today)).toEqual(['2026-03-11']));
});
