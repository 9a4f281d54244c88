import { type jihuaCalls, JihuaFields, MAX_PLAN_DAYS, Problem } from '@teaching/contracts';
import { dayNumber, recurrenceProblem } from '@teaching/kit';
import type { z } from 'zod';
import { plannedDates, UnreadableRule } from './calendar.rules.ts';

type Patch = z.output<typeof jihuaCalls.updateJihua.body>;
export type Plan = ReturnType<typeof JihuaFields.withDefaults>;

/** Absent keeps, `null` goes back to the default; a new rhythm replaces the old one, of whichever kind. */
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

/** Refuses a rule that is sent and cannot be read, in our words; one that is stored is never refused again. */
export const requireReadable = (rrule: string | null | undefined): void => {
  if (rrule == null) return;
  const isTimed = /UNTIL=[^;]*T/i.test(rrule);
  const message = recurrenceProblem(rrule) ?? (isTimed ? 'UNTIL must be a date: a plan has days' : undefined);
  if (message !== undefined) throw invalid('rrule', message);
};

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

/**
 * Extends a plan that had ended. No check-in was expected on the days between, so they are frozen: no past day is
 * missed by the extension.
 */
export const withFrozenGap = (before: Plan, after: Plan, today: string): Plan => {
  if (after.ends_on <= before.ends_on || before.ends_on >= today) return after;
  const between = daysOf(after).filter((day) => day > before.ends_on && day < today);
  return { ...after, frozen_dates: [...after.frozen_dates, ...between].toSorted() };
};

/** Whether a change could turn a past day from planned to unplanned or back, other than by freezing it. */
export const isPastChanged = (before: Plan, after: Plan, last_check_in: string): boolean =>
  before.starts_on !== after.starts_on ||
  before.zone !== after.zone ||
  before.rrule !== after.rrule ||
  before.weekdays?.join() !== after.weekdays?.join() ||
  after.ends_on < last_check_in;
