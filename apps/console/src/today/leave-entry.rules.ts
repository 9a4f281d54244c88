import type { LeaveQuote, LeaveRefusal, ListedLeave, RollCallSheet } from '@teaching/contracts';
import type { DayLesson } from './today.rules.ts';

/** The consequences of leave that the office enters, and what it needs for it. */
export interface LeaveEntry {
  in_time: boolean;
  /** Lesson hours charged; undefined if a call makes the leave timely, because the quote is for a request now. */
  charge_hours: string | undefined;
  /** The rule that only a supervisor may override, with a reason. */
  override: 'leave_too_late' | 'leave_quota' | undefined;
  /** The refusal that nothing overrides. */
  refusal: LeaveRefusal | undefined;
}

/** `called_at` is the instant of a phone call, from which notice counts; undefined without a call. */
export const leaveEntryOf = (quote: LeaveQuote, called_at: string | undefined): LeaveEntry => {
  const { refusal, quota, deadline } = quote;
  const isTimelyCall = called_at !== undefined && Date.parse(called_at) <= Date.parse(deadline);
  const in_time = quote.in_time || isTimelyCall;
  const overQuota = quota.limit !== null && quota.used > quota.limit;
  const overridable = refusal === null || refusal === 'leave_too_late' || refusal === 'leave_quota';
  return {
    in_time,
    charge_hours: in_time === quote.in_time ? quote.charge_hours : undefined,
    override: refusal === 'leave_too_late' && !in_time ? 'leave_too_late' : overQuota ? 'leave_quota' : undefined,
    refusal: overridable ? undefined : refusal,
  };
};

export type MarkOfStudent = RollCallSheet['marks'][number]['mark'];

/** Consequences of the roll call of a lesson that has begun for leave from it. */
export interface MarkedLesson {
  mark: MarkOfStudent;
  /**
   * Why an approval needs a reason: the student attended, or the lesson was held and its edit window is over. Undefined
   * if it needs none.
   */
  reasonFor: 'attended' | 'window' | undefined;
}

/** `now` in epoch milliseconds. */
export const markedLesson = (
  {
    lesson,
    marks,
    closes_at,
  }: Pick<RollCallSheet, 'closes_at'> & {
    lesson: Pick<RollCallSheet['lesson'], 'status'>;
    marks: readonly Pick<RollCallSheet['marks'][number], 'student_id' | 'mark'>[];
  },
  student_id: string,
  now: number,
): MarkedLesson => {
  const mark = marks.find((row) => row.student_id === student_id)?.mark ?? null;
  const isWindowOver = lesson.status === 'held' && now > Date.parse(closes_at);
  return { mark, reasonFor: mark === 'present' || mark === 'late' ? 'attended' : isWindowOver ? 'window' : undefined };
};

export interface LessonWithLeave {
  lesson: DayLesson;
  /** The newest leave for the lesson that was not withdrawn. */
  leave: ListedLeave | undefined;
  /** The leave for which the student makes up in this lesson. */
  makesUpFor: ListedLeave | undefined;
}

/** Lessons of one student with the student's leave, which is sorted newest first. */
export const withStudentLeave = (lessons: readonly DayLesson[], leaves: readonly ListedLeave[]): LessonWithLeave[] =>
  lessons.map((lesson) => ({
    lesson,
    leave: leaves.find(({ lesson_id, status }) => lesson_id === lesson.id && status !== 'cancelled'),
    makesUpFor: leaves.find(({ make_up }) => make_up?.status === 'used' && make_up.lesson_id === lesson.id),
  }));

/** The coming lessons, the soonest first, and the past ones, the latest first. */
export const comingAndPast = (
  rows: readonly LessonWithLeave[],
  now: number,
): { coming: LessonWithLeave[]; past: LessonWithLeave[] } => {
  const sorted = rows.toSorted((a, b) => a.lesson.starts_at.localeCompare(b.lesson.starts_at));
  const isComing = ({ lesson }: LessonWithLeave): boolean => Date.parse(lesson.starts_at) > now;
  return { coming: sorted.filter(isComing), past: sorted.filter((row) => !isComing(row)).toReversed() };
};
