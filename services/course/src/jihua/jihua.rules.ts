import {
  ENDS_BEFORE_START,
  isSameZone,
  type jihuaCalls,
  JihuaFields,
  MAX_PLAN_DAYS,
  PLAN_TOO_LONG,
  Problem,
} from '@teaching/contracts';
import { dayNumber } from '@teaching/kit';
import type { z } from 'zod';
import { daysOfRhythm, plannedDates } from './calendar.rules.ts';

type Patch = z.output<typeof jihuaCalls.updateJihua.body>;
export type Plan = ReturnType<typeof JihuaFields.withDefaults>;

/**
 * The plan after a patch. An absent field keeps its value; `null` resets it to the default. A new `weekdays` clears
 * `rrule`, and a new `rrule` clears `weekdays`.
 */
export const withPatch = (plan: Plan, patch: Patch): Plan => {
  const { weekdays, rrule, ...fields } = JihuaFields.applyPatch(plan, patch, {});
  return {
    ...fields,
    weekdays: patch.rrule == null ? weekdays : null,
    rrule: patch.weekdays == null ? rrule : null,
  };
};

const invalid = (field: string, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/body/${field}`, message }] });

/** The planned days. Throws 400 with the field if the range of the plan is invalid. */
export const plannedDaysOf = (plan: Plan): string[] => {
  const length = dayNumber(plan.ends_on) - dayNumber(plan.starts_on) + 1;
  if (length < 1) throw invalid('ends_on', ENDS_BEFORE_START);
  if (length > MAX_PLAN_DAYS) throw invalid('ends_on', PLAN_TOO_LONG);
  return plannedDates(plan);
};

/** Refuses a plan without any day (400). Frozen days count, since they can be planned again. */
export const requireDays = (plan: Plan): void => {
  if (daysOfRhythm(plan).length > 0) return;
  const field = plan.rrule !== null ? 'rrule' : plan.weekdays !== null ? 'weekdays' : 'ends_on';
  throw invalid(field, 'makes no day of the plan');
};

/**
 * The changed plan. If an ended plan is extended, the days after its old end and before today are frozen: no check-in
 * was expected on them, so the extension makes no past day missed.
 */
export const withFrozenGap = (before: Plan, after: Plan, today: string): Plan => {
  if (after.ends_on <= before.ends_on || before.ends_on >= today) return after;
  const gap = plannedDaysOf(after).filter((day) => day > before.ends_on && day < today);
  return { ...after, frozen_dates: [...after.frozen_dates, ...gap].toSorted() };
};

/**
 * Whether a change could alter which past days are planned. Frozen days do not count. `last_check_in` is the last day
 * with a check-in, or an empty text.
 */
export const isPastChanged = (before: Plan, after: Plan, last_check_in: string): boolean =>
  before.starts_on !== after.starts_on ||
  !isSameZone(before.zone, after.zone) ||
  before.rrule !== after.rrule ||
  before.weekdays?.join() !== after.weekdays?.join() ||
  after.ends_on < last_check_in;
