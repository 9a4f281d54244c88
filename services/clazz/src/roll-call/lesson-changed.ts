import type { Lesson } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { loadLessons } from './load-lessons.ts';
import { runCascade } from './run-cascade.ts';

/** Who was to make up at a lesson that is cancelled may do so elsewhere. */
const RELEASE = statement(
  `update make_up_credit set status = 'available', lesson_id = null
   where org_id = $1 and lesson_id = any($2::uuid[])`,
);

/** What charges, leave and listing depend on. */
const matters = ({ before, after }: { before: Lesson; after: Lesson }): boolean =>
  before.status !== after.status || before.hours !== after.hours || before.starts_at !== after.starts_at;

/**
 * The cascade's entry for lesson changes: called inside the transaction by whatever changes lessons,
 * after the rows were written. Re-derives charges, make-up credits and leave of these lessons.
 */
export const lessonsChanged = async (
  session: Session,
  changes: readonly { before: Lesson; after: Lesson }[],
): Promise<void> => {
  const changed = changes.filter(matters).map(({ after }) => after);
  if (changed.length === 0) return;
  const loaded = await loadLessons(
    session,
    changed.map((lesson) => lesson.id),
  );
  const reason = changed[0]?.cancel_reason ?? 'the lesson was changed';
  await runCascade(session, { ...loaded, reason, mayRefuse: false });
  const cancelled = changed.filter((lesson) => lesson.status === 'cancelled').map((lesson) => lesson.id);
  if (cancelled.length > 0) session.run(RELEASE, session.org_id, cancelled);
};
