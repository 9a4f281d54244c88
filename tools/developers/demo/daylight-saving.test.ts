import { expect, it } from 'vitest';
import { nextClockChange } from './daylight-saving.ts';

it('finds the next change of clocks', () => {
  expect(nextClockChange('Europe/Berlin', new Date('2026-11-20T19:00:00Z'), 12)).toBe('2027-03-28');
  expect(nextClockChange('Europe/Berlin', new Date('2026-03-20T23:59:00Z'), 2)).toBe('2026-03-29');
  expect(nextClockChange('Europe/Berlin', new Date('2026-03-28T12:00:00Z'), 12)).toBe('2026-10-25');
  expect(() => nextClockChange('Asia/Shanghai', new Date('2026-03-28T12:00:00Z'), 0)).toThrow('no daylight saving');
});
