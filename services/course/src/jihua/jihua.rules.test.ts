import { JihuaFields, Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { isPastChanged, plannedDaysOf, withFrozenGap, type Plan, requireValidRule } from './jihua.rules.ts';

const messageOf = (rrule: string | null): string | undefined => {
  try {
    requireValidRule(rrule);
  } catch (error) {
    if (error instanceof Problem) return error.extra.errors?.map(({ path, message }) => `${path}: ${message}`).join();
    throw error;
  }
  return undefined;
};

it.each([
  [null, undefined],
  ['FREQ=DAILY;UNTIL=20260331', undefined],
  ['FREQ=DAILY;UNTIL=20260331T120000Z', '/body/rrule: UNTIL must be a date: a plan has days'],
  ['freq=daily;until=20260331t120000', '/body/rrule: UNTIL must be a date: a plan has days'],
  ['FREQ=DAILY;UNTIL=20261399', '/body/rrule: UNTIL must be a date such as 20260331'],
  ['FREQ=HOURLY', '/body/rrule: FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY'],
])('checking the recurrence rule %s gives the message: %s', (rrule, message) => expect(messageOf(rrule)).toBe(message));

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
