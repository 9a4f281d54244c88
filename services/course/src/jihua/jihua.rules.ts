import { isSameZone, type jihuaCalls, JihuaFields, MAX_PLAN_DAYS, Problem } from '@teaching/contracts';
import { dayNumber, recurrenceProblem } from '@teaching/kit';
import type { z } from 'zod';
import { plannedDates, InvalidRuleError } from './calendar.rules.ts';

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

/** Refuses an invalid rule in a request (400). An absent rule is not checked: the stored rule stays valid. */
export const requireValidRule = (rrule: string | null | undefined): void => {
  if (rrule == null) return;
  const isTimed = /UNTIL=[^;]*T/i.test(rrule);
  const message = recurrenceProblem(rrule) ?? (isTimed ? 'UNTIL must be a date: a plan has days' : undefined);
  if (message !== undefined) throw invalid('rrule', message);
};

/** The planned days. Throws 400 with the field if the plan is invalid. */
export const plannedDaysOf = (plan: Plan): string[] => {
  const length = dayNumber(plan.ends_on) - dayNumber(plan.starts_on) + 1;
  if (length < 1) throw invalid('ends_on', 'must not be before starts_on');
  if (length > MAX_PLAN_DAYS) throw invalid('ends_on', `must be within ${MAX_PLAN_DAYS} days`);
  try {
    return plannedDates(plan);
  } catch (error) {
    if (error instanceof InvalidRuleError) throw invalid('rrule', error.message);
    throw error;
  }
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
