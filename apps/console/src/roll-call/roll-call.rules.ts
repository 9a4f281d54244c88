import type { Mark, RollCallSheet, ShownClazz } from '@teaching/contracts';
import { isSubstitute } from '../shared/substitute.rules.ts';
import { type Progress, type Queue, type QueuedMark, markStates } from './queue/queue.rules.ts';

type SavedMark = RollCallSheet['marks'][number];

/** A student in the sheet, with the queued mark if there is one, else the saved mark. */
export interface Row extends SavedMark {
  progress: Progress;
  /** The problem code of a refused mark. */
  code: string | null;
  /** The saved mark, also while the row shows a queued one. */
  saved: SavedMark;
}

export const rowsOf = ({ marks }: Pick<RollCallSheet, 'marks'>, queue: Queue): Row[] => {
  const stateOf = markStates(queue);
  return marks.map((saved): Row => {
    const { progress, queuedMark, code } = stateOf(saved.student_id);
    const shown =
      queuedMark === null
        ? saved
        : { ...saved, mark: queuedMark.mark, note: queuedMark.note, late_minutes: queuedMark.late_minutes };
    return { ...shown, progress, code, saved };
  });
};

/** A guest who makes up for another lesson is marked `makeup` instead of `present`. */
export const presentMark = ({ make_up }: Pick<SavedMark, 'make_up'>): Mark => (make_up ? 'makeup' : 'present');
export const isPresent = (mark: Mark | null): boolean => mark === 'present' || mark === 'makeup';

/** A new mark for a row; null withdraws the saved one. Late minutes apply to late students only. */
export const newMark = (
  row: Row,
  mark: Mark | null,
  reason: string | null,
  more: Partial<Pick<QueuedMark, 'note' | 'late_minutes'>> = {},
): QueuedMark => ({
  student_id: row.student_id,
  mark,
  note: row.note,
  revision: row.saved.revision,
  reason,
  ...more,
  late_minutes: mark === 'late' ? (more.late_minutes === undefined ? row.late_minutes : more.late_minutes) : null,
});

/** Marks for all students without a mark, without leave and without a refused mark. */
export const allPresent = (rows: readonly Row[], reason: string | null): QueuedMark[] =>
  rows
    .filter(({ mark, leave, progress }) => mark === null && leave === null && progress !== 'refused')
    .map((row) => newMark(row, presentMark(row), reason));

/** Whether the row shows the preset of an approved leave, which is no mark yet. */
export const isPreset = ({ mark, progress, revision }: Row): boolean =>
  mark !== null && progress === 'saved' && revision === 0;

/** Whether an approved leave set the mark of the row by itself. */
export const isMarkedByLeave = ({ mark, leave }: Pick<Row, 'mark' | 'leave'>): boolean =>
  mark === 'leave' && leave?.status === 'approved';

/**
 * Marks for the presets, if there is nothing else to mark. Otherwise the first mark of another student makes the API
 * mark them.
 */
export const allExcused = (rows: readonly Row[], reason: string | null): QueuedMark[] =>
  rows.every(isPreset) ? rows.map((row) => newMark(row, row.mark, reason)) : [];

export const TOTALS = ['present', 'late', 'absent', 'leave', 'unmarked'] as const;
export type Total = (typeof TOTALS)[number];

/** Make-up and trial students count as present. */
const totalOf = (mark: Mark | null): Total => {
  if (mark === null) return 'unmarked';
  return mark === 'makeup' || mark === 'trial' ? 'present' : mark;
};
export const totalsOf = (rows: readonly Row[]): Record<Total, number> => {
  const totals = { present: 0, late: 0, absent: 0, leave: 0, unmarked: 0 };
  for (const { mark } of rows) totals[totalOf(mark)] += 1;
  return totals;
};

/** A roll call with the teachers of its class. Answers that an earlier build stored have none. */
export interface RollCall extends RollCallSheet {
  clazz?: Pick<ShownClazz, 'lead_teacher_id' | 'lead_teacher_name' | 'assistant_ids'> | undefined;
}

/**
 * Whether this teacher neither gives the lesson nor leads or assists its class. The API refuses the marks of such a
 * teacher.
 */
export const isOfOthers = (
  { lesson, clazz }: { lesson: Pick<RollCall['lesson'], 'teacher_id'>; clazz?: RollCall['clazz'] },
  user_id: string,
): boolean =>
  clazz !== undefined && ![lesson.teacher_id, clazz.lead_teacher_id, ...clazz.assistant_ids].includes(user_id);

/** The name of the lead teacher, if a substitute gives the lesson; null if the directory does not contain the lead. */
export const substitutedLead = ({ lesson, clazz }: RollCall): string | null | undefined =>
  clazz !== undefined && isSubstitute(lesson, clazz) ? clazz.lead_teacher_name : undefined;

/** When marks are accepted. In the phase `closed` only a supervisor marks, with a reason. */
export type Phase = 'early' | 'open' | 'closed' | 'cancelled' | 'of_others';
export const phaseOf = (
  roll: Pick<RollCall, 'lesson' | 'opens_at' | 'closes_at' | 'clazz'>,
  { user_id, isOffice, now }: { user_id: string; isOffice: boolean; now: number },
): Phase => {
  const { lesson, opens_at, closes_at } = roll;
  if (lesson.status === 'cancelled') return 'cancelled';
  if (!isOffice && isOfOthers(roll, user_id)) return 'of_others';
  if (now < Date.parse(opens_at)) return 'early';
  return now > Date.parse(closes_at) ? 'closed' : 'open';
};

/** A roll call updated by the answer of a write. Fields that a write does not return stay. */
export const withAnswer = (
  roll: RollCall,
  answer: { lesson: RollCallSheet['lesson']; marks: readonly Omit<SavedMark, 'leave' | 'hours_left' | 'attended'>[] },
): RollCall => {
  const answered = new Map(answer.marks.map((row) => [row.student_id, row]));
  return {
    ...roll,
    lesson: answer.lesson,
    marks: roll.marks.map((row) => ({ ...row, ...answered.get(row.student_id) })),
  };
};

const MARKS_BY_KEY: Readonly<Record<string, Mark>> = { p: 'present', l: 'late', a: 'absent', e: 'leave', t: 'trial' };
export type RowAction = { mark: Mark } | { move: 1 | -1 } | 'note' | 'undo';

/** The action of a key in a row. */
export const rowActionOf = (key: string): RowAction | undefined => {
  const low = key.length === 1 ? key.toLowerCase() : key;
  const mark = MARKS_BY_KEY[low];
  if (mark !== undefined) return { mark };
  if (low === 'ArrowDown' || low === 'j') return { move: 1 };
  if (low === 'ArrowUp' || low === 'k') return { move: -1 };
  if (low === 'n') return 'note';
  return low === 'u' ? 'undo' : undefined;
};
