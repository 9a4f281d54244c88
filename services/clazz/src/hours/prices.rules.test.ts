import { expect, it } from 'vitest';
import { isAdult, canStudentSeePrices } from './prices.rules.ts';

it('a person is an adult from the 18th birthday on, in the zone of the org', () => {
  const at = (instant: string, zone = 'UTC', birthday: string | null = '2010-05-20') =>
    isAdult(birthday, zone, new Date(instant));
  expect(at('2028-05-19T23:59:59Z')).toBe(false);
  expect(at('2028-05-20T00:00:00Z')).toBe(true);
  expect(at('2028-05-19T20:00:00Z', 'Asia/Shanghai')).toBe(true);
  expect(at('2028-05-20T02:00:00Z', 'America/New_York')).toBe(false);
  expect(at('2026-02-28T12:00:00Z', 'UTC', '2008-02-29')).toBe(false);
  expect(at('2026-03-01T12:00:00Z', 'UTC', '2008-02-29')).toBe(true);
  expect(at('2099-01-01T00:00:00Z', 'UTC', null)).toBe(false);
});

it('students see prices always, as adults, or never, by the policy', () => {
  const sees = (student_money: 'always' | 'adults' | 'never', birthday: string | null) =>
    canStudentSeePrices({ student_money, zone: 'UTC' }, birthday, new Date('2030-01-01T00:00:00Z'));
  expect([sees('always', null), sees('adults', null), sees('never', '1990-01-01')]).toEqual([true, false, false]);
  expect([sees('adults', '1990-01-01'), sees('adults', '2020-01-01')]).toEqual([true, false]);
});
