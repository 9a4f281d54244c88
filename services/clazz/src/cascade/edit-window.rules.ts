import { type Lesson, type Policy, Problem } from '@teaching/contracts';
import { type Caller, daysLater, isSupervisor } from '@teaching/kit';

/** What says how long, in days of the org's zone. */
export type WindowPolicy = Pick<Policy, 'roll_call' | 'zone'>;

/** When the teachers of a class can no more change what a lesson that was held says or costs: an instant. */
export const windowCloses = ({ ends_at }: Pick<Lesson, 'ends_at'>, { roll_call, zone }: WindowPolicy): string =>
  daysLater(ends_at, roll_call.edit_window_days, zone);

interface Editor {
  caller: Caller;
  reason: string | null | undefined;
}

/**
 * Once the edit window of a lesson is over, only a supervisor changes what was derived from it, and says why:
 * others get 409 `edit_window_over`, a supervisor without a reason 400.
 */
export const requireWindow = (lesson: Pick<Lesson, 'ends_at'>, policy: WindowPolicy, who: Editor, now: Date): void => {
  const closes = windowCloses(lesson, policy);
  if (now.toISOString() <= closes) return;
  if (!isSupervisor(who.caller)) {
    throw new Problem('edit_window_over', `What follows from the lesson closed at ${closes}`);
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
  policy: WindowPolicy,
  who: Editor,
  now: Date,
): void => {
  if (lesson.status === 'held') requireWindow(lesson, policy, who, now);
};
