import { expect, it } from 'vitest';
import { lastDays } from './check-in.rules.ts';

const PLAN = {
  planned_dates: ['2026-11-18', '2026-11-20', '2026-11-21', '2026-11-23', '2026-11-24'],
  backfill_days: 2,
};

it('the last planned days say what is done, missed and open, and which can still be caught up', () => {
  expect(lastDays(PLAN, new Set(['2026-11-20']), '2026-11-23', 3)).toEqual([
    { date: '2026-11-20', state: 'done', canCheckIn: false },
    { date: '2026-11-21', state: 'missed', canCheckIn: true },
    { date: '2026-11-23', state: 'open', canCheckIn: true },
  ]);
});

it('days before somebody belonged to the plan do not count, and days long ago are closed', () => {
  const of = (since: string) => lastDays({ ...PLAN, since }, new Set(), '2026-11-22', 7);
  expect(of('2026-11-20').map(({ date, canCheckIn }) => [date, canCheckIn])).toEqual([
    ['2026-11-20', true],
    ['2026-11-21', true],
  ]);
  expect(of('2026-11-01')[0]).toEqual({ date: '2026-11-18', state: 'missed', canCheckIn: false });
});
