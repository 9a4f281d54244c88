import type { LessonRow } from '../record/record.tables.ts';
import { type Cancellation, cancelledLesson } from '../schedule/lesson.rules.ts';

/** A time in which nothing takes place, half-open, and why: instants. */
export interface ClosureSpan {
  from: string;
  to: string;
  reason: string;
}

/** What is cancelled: what is scheduled in one of the spans, of these classes, by this teacher, in this room only. */
export interface ClosureEffects {
  spans: readonly ClosureSpan[];
  clazz_ids: readonly string[] | null;
  teacher_id: string | null;
  room: string | null;
  reason_public: boolean;
  /** Why, as the trail says of all of them. */
  reason: string;
}

type Times = Pick<LessonRow, 'starts_at' | 'ends_at'>;
const overlaps = ({ starts_at, ends_at }: Times, { from, to }: ClosureSpan): boolean =>
  starts_at < to && ends_at > from;

/** A lesson is cancelled by its teacher if the closing names one, else by the org. */
const cancellationOf = (it: Times, { spans, teacher_id, reason, reason_public }: ClosureEffects): Cancellation => ({
  by: teacher_id === null ? 'org' : 'teacher',
  reason: spans.find((span) => overlaps(it, span))?.reason ?? reason,
  reason_public,
});

/** Lessons as the closing leaves them. */
export const closureEffects = <L extends LessonRow>(lessons: readonly L[], closing: ClosureEffects, now: Date) =>
  lessons.map((before) => ({ before, after: cancelledLesson(before, cancellationOf(before, closing), now) }));
