import { dayNumber } from '@teaching/kit';
import { type Jihua, type jihuaCalls, MAX_PLAN_DAYS, Problem } from '@teaching/contracts';
import type { z } from 'zod';
import { plannedDates, UnreadableRule } from './calendar.rules.ts';

type Patch = z.output<typeof jihuaCalls.update.body>;
export type Plan = Pick<
  Jihua,
  'title' | 'starts_on' | 'ends_on' | 'zone' | 'weekdays' | 'rrule' | 'items' | 'backfill_days' | 'frozen_dates'
>;

/** Used where the request leaves the field out. */
export const DEFAULTS = { weekdays: null, rrule: null, items: [], backfill_days: 2, frozen_dates: [] };

const inOrder = <T extends string | number>(list: readonly T[]): T[] =>
  [...new Set(list)].toSorted((a, b) => (a < b ? -1 : 1));

/** Absent keeps, `null` goes back to the default; a new rhythm replaces the old one, of whichever kind. */
export const applyPatch = (plan: Plan, patch: Patch): Plan => {
  const weekdays = patch.weekdays == null ? patch.weekdays : inOrder(patch.weekdays);
  const kept = {
    weekdays: patch.rrule == null ? plan.weekdays : null,
    rrule: weekdays == null ? plan.rrule : null,
  };
  return {
    title: patch.title ?? plan.title,
    starts_on: patch.starts_on ?? plan.starts_on,
    ends_on: patch.ends_on ?? plan.ends_on,
    zone: patch.zone ?? plan.zone,
    weekdays: weekdays === undefined ? kept.weekdays : weekdays,
    rrule: patch.rrule === undefined ? kept.rrule : patch.rrule,
    items: patch.items === undefined ? plan.items : (patch.items ?? DEFAULTS.items),
    backfill_days:
      patch.backfill_days === undefined ? plan.backfill_days : (patch.backfill_days ?? DEFAULTS.backfill_days),
    frozen_dates: patch.frozen_dates === undefined ? plan.frozen_dates : inOrder(patch.frozen_dates ?? []),
  };
};

const invalid = (field: string, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/body/${field}`, message }] });

/** The planned days, or why the plan makes no sense. */
export const daysOf = (plan: Plan): string[] => {
  const length = dayNumber(plan.ends_on) - dayNumber(plan.starts_on) + 1;
  if (length < 1) throw invalid('ends_on', 'must not be before starts_on');
  if (length > MAX_PLAN_DAYS) throw invalid('ends_on', `must be within ${MAX_PLAN_DAYS} days`);
  try {
    return plannedDates(plan);
  } catch (error) {
    if (error instanceof UnreadableRule) throw invalid('rrule', error.message);
    throw error;
  }
};

/** Whether a change could turn a day that is over from planned to unplanned or back, other than by freezing it. */
export const changesPast = (before: Plan, after: Plan, last_check_in: string): boolean =>
  before.starts_on !== after.starts_on ||
  before.zone !== after.zone ||
  before.rrule !== after.rrule ||
  before.weekdays?.join() !== after.weekdays?.join() ||
  after.ends_on < last_check_in;
