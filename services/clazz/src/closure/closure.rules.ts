import type { LessonRow } from '../record/record.tables.ts';
import { isInSpan, type Span } from '../schedule/holiday.rules.ts';
import { type Cancellation, cancelledLesson } from '../schedule/lesson.rules.ts';

/** An interval without lessons, with its reason. */
export interface ClosureSpan extends Span {
  reason: string;
}

/**
 * Selects the lessons that a closure cancels: those that overlap a span, limited to these classes, teacher and room.
 */
export interface ClosureSelection {
  spans: readonly ClosureSpan[];
  clazz_ids: readonly string[] | null;
  teacher_id: string | null;
  room: string | null;
  reason_public: boolean;
  /** The reason in the audit log, the same for all lessons. */
  reason: string;
}

type Times = Pick<LessonRow, 'starts_at' | 'ends_at'>;

/** The lesson is cancelled by its teacher when the closure names a teacher, else by the org. */
const cancellationOf = (it: Times, { spans, teacher_id, reason, reason_public }: ClosureSelection): Cancellation => ({
  by: teacher_id === null ? 'org' : 'teacher',
  reason: spans.find((span) => isInSpan(it, span))?.reason ?? reason,
  reason_public,
});

/** The changes that the closure makes: each lesson before and after. */
export const closureChanges = <L extends LessonRow>(lessons: readonly L[], closing: ClosureSelection, now: Date) =>
  lessons.map((before) => ({ before, after: cancelledLesson(before, cancellationOf(before, closing), now) }));
