import type { Lesson } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

type Reason = Pick<Lesson, 'cancel_reason' | 'reason_public'>;

/** A lesson as the caller may see it: students see that it was cancelled, and why only where that was made public. */
export const seenBy =
  (caller: Caller) =>
  <L extends Reason>(it: L): L =>
    isStaff(caller) || it.reason_public ? it : { ...it, cancel_reason: null };
