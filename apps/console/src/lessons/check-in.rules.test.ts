import { expect, it } from 'vitest';
import { lastDays } from './check-in.rules.ts';

const PLAN = {
  planned_dates: ['2026-11-18', '2026-11-20', '2026-11-21', '2026-11-23', '2026-11-24'],
  backfill_days: 2,
};

it('lists the last planned days as done, missed or open, and whether a check-in is still possible', () => {
  expect(lastDays(PLAN, new Set(['2026-11-20']), '2026-11-23', 3)).toEqual([
    { date: '2026-11-20', state: 'done', canCheckIn: false },
    { date: '2026-11-21', state: 'missed', canCheckIn: true },
    { date: '2026-11-23', state: 'open', canCheckIn: true },
  ]);
});

it('skips days before the student joined the plan, and closes days outside the backfill period', () => {
  const of = (since: string) => lastDays({ ...PLAN, since }, new Set(), '2026-11-22', 7);
  expect(of('2026-11-20').map(({ date, canCheckIn }) => [date, canCheckIn])).toEqual([
    ['2026-11-20', true],
    ['2026-11-21', true],
  ]);
  expect(of('2026-11-01')[0]).toEqual({ date: '2026-11-18', state: 'missed', canCheckIn: false });
});
