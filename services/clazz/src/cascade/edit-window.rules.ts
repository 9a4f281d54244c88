import { type Lesson, type Policy, Problem } from '@teaching/contracts';
import { type Caller, DAY_MS, isSupervisor } from '@teaching/kit';

/** When the teachers of a class can no more change what a lesson that was held says or costs. */
export const windowCloses = ({ ends_at }: Pick<Lesson, 'ends_at'>, policy: Pick<Policy, 'roll_call'>): number =>
  Date.parse(ends_at) + policy.roll_call.edit_window_days * DAY_MS;

interface Who {
  caller: Caller;
  reason: string | null | undefined;
}

/**
 * Once the edit window of a lesson is over, only a supervisor changes what was derived from it, and says why:
 * others get 409 `edit_window_over`, a supervisor without a reason 400.
 */
export const requireWindow = (
  lesson: Pick<Lesson, 'ends_at'>,
  policy: Pick<Policy, 'roll_call'>,
  who: Who,
  now: Date,
): void => {
  const closes = windowCloses(lesson, policy);
  if (now.getTime() <= closes) return;
  if (!isSupervisor(who.caller)) {
    throw new Problem('edit_window_over', `What follows from the lesson closed at ${new Date(closes).toISOString()}`);
  }
  if (who.reason == null) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/reason', message: 'is needed once the edit window is over' }],
    });
  }
};

/** The same for a lesson that was held; nothing was derived from one that was not. */
export const requireWindowOfHeld = (
  lesson: Pick<Lesson, 'ends_at' | 'status'>,
  policy: Pick<Policy, 'roll_call'>,
  who: Who,
  now: Date,
): void => {
  if (lesson.status === 'held') requireWindow(lesson, policy, who, now);
};
