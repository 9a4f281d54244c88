import { daysBetween } from '../shared/zone.rules.ts';

/** A planned day and the student's check-in on it. */
export interface PlanDay {
  date: string;
  state: 'done' | 'missed' | 'open';
  /** Whether the student can check in for this day now. */
  canCheckIn: boolean;
}

interface Plan {
  planned_dates: readonly string[];
  backfill_days: number;
  since?: string | undefined;
}

/** The student's last planned days up to today in the plan's zone, oldest first. Today is `open`, not missed. */
export const lastDays = (plan: Plan, done: ReadonlySet<string>, today: string, count: number): PlanDay[] =>
  plan.planned_dates
    .filter((date) => date <= today && (plan.since === undefined || date >= plan.since))
    .slice(-count)
    .map((date) => ({
      date,
      state: done.has(date) ? 'done' : date === today ? 'open' : 'missed',
      canCheckIn: !done.has(date) && daysBetween(date, today) <= plan.backfill_days,
    }));

/** Whether a check-in is planned today and not done. */
export const isCheckInOpen = ({ plan, done, today }: { plan: Plan; done: readonly string[]; today: string }): boolean =>
  lastDays(plan, new Set(done), today, 1).some(({ date, state }) => date === today && state === 'open');
