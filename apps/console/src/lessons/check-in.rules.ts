import { daysBetween } from '../shared/zone.rules.ts';

/** A planned day, and whether somebody checked in on it. */
export interface PlanDay {
  date: string;
  state: 'done' | 'missed' | 'open';
  /** Whether one can check in on it now. */
  canCheckIn: boolean;
}

interface Plan {
  planned_dates: readonly string[];
  backfill_days: number;
  since?: string | undefined;
}

/** The last planned days of somebody, oldest first, up to today in the plan's zone; today is not missed yet. */
export const lastDays = (plan: Plan, done: ReadonlySet<string>, today: string, count: number): PlanDay[] =>
  plan.planned_dates
    .filter((date) => date <= today && (plan.since === undefined || date >= plan.since))
    .slice(-count)
    .map((date) => ({
      date,
      state: done.has(date) ? 'done' : date === today ? 'open' : 'missed',
      canCheckIn: !done.has(date) && daysBetween(date, today) <= plan.backfill_days,
    }));
