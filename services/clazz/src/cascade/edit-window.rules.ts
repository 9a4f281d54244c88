import { type Lesson, type Policy, Problem } from '@teaching/contracts';
import { type Caller, daysLater, isSupervisor } from '@teaching/kit';

/** The policy fields that define the edit window. It counts days in the org's zone. */
export type EditWindowPolicy = Pick<Policy, 'roll_call' | 'zone'>;

/**
 * The instant at which the edit window ends. After it, teachers cannot change marks, leave or charges of the lesson.
 */
export const editWindowEnd = ({ ends_at }: Pick<Lesson, 'ends_at'>, { roll_call, zone }: EditWindowPolicy): string =>
  daysLater(ends_at, roll_call.edit_window_days, zone);

interface Editor {
  caller: Caller;
  reason: string | null | undefined;
}

/**
 * After the edit window only a supervisor with a reason may change the results of a lesson. 409 `edit_window_over` for
 * other callers, 400 for a supervisor without a reason.
 */
export const requireEditWindow = (
  lesson: Pick<Lesson, 'ends_at'>,
  policy: EditWindowPolicy,
  editor: Editor,
  now: Date,
): void => {
  const closes = editWindowEnd(lesson, policy);
  if (now.toISOString() <= closes) return;
  if (!isSupervisor(editor.caller)) {
    throw new Problem('edit_window_over', `The edit window of the lesson ended at ${closes}`);
  }
  if (editor.reason == null) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/reason', message: 'is required after the edit window' }],
    });
  }
};

/** The same for a held lesson. A lesson that was not held has no results. */
export const requireEditWindowOfHeldLesson = (
  lesson: Pick<Lesson, 'ends_at' | 'status'>,
  policy: EditWindowPolicy,
  editor: Editor,
  now: Date,
): void => {
  if (lesson.status === 'held') requireEditWindow(lesson, policy, editor, now);
};
