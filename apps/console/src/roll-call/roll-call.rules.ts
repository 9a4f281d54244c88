import type { Mark, SeenRollCall } from '@teaching/contracts';
import { type Progress, type Queue, type QueuedMark, markStates } from './queue/queue.rules.ts';

type Stands = SeenRollCall['marks'][number];

/** A student in the sheet: as it stands, and under it what was said and is not saved yet. */
export interface Row extends Stands {
  progress: Progress;
  /** Why it was refused: the code of the problem. */
  code: string | null;
  /** What stands where the row shows something else. */
  stands: Stands;
}

export const rowsOf = ({ marks }: Pick<SeenRollCall, 'marks'>, queue: Queue): Row[] => {
  const of = markStates(queue);
  return marks.map((stands) => {
    const { progress, said, code } = of(stands.student_id);
    const shown =
      said === null ? stands : { ...stands, mark: said.mark, note: said.note, late_minutes: said.late_minutes };
    return { ...shown, progress, code, stands };
  });
};

/** Who makes up for another lesson is here as that. */
export const presentMark = ({ make_up }: Pick<Stands, 'make_up'>): Mark => (make_up ? 'makeup' : 'present');
export const isPresent = (mark: Mark | null): boolean => mark === 'present' || mark === 'makeup';

/** What is said of a student from here on; who is not late is so by no minutes. */
export const newMark = (
  row: Row,
  mark: Mark,
  reason: string | null,
  more: Partial<Pick<QueuedMark, 'note' | 'late_minutes'>> = {},
): QueuedMark => ({
  student_id: row.student_id,
  mark,
  note: row.note,
  revision: row.stands.revision,
  reason,
  ...more,
  late_minutes: mark === 'late' ? (more.late_minutes === undefined ? row.late_minutes : more.late_minutes) : null,
});

/**
 * Everybody is here of whom nothing is said: nobody who has a mark, or is excused, or asked to be, and nobody whose mark
 * waits for somebody to look at it.
 */
export const allPresent = (rows: readonly Row[], reason: string | null): QueuedMark[] =>
  rows
    .filter(({ mark, leave, progress }) => mark === null && leave === null && progress !== 'refused')
    .map((row) => newMark(row, presentMark(row), reason));

export const TOTALS = ['present', 'late', 'absent', 'leave', 'unmarked'] as const;
export type Total = (typeof TOTALS)[number];

/** Who is here to make up or to try counts as present. */
const totalOf = (mark: Mark | null): Total => {
  if (mark === null) return 'unmarked';
  return mark === 'makeup' || mark === 'trial' ? 'present' : mark;
};
export const totalsOf = (rows: readonly Row[]): Record<Total, number> => {
  const totals = { present: 0, late: 0, absent: 0, leave: 0, unmarked: 0 };
  for (const { mark } of rows) totals[totalOf(mark)] += 1;
  return totals;
};

/** Whether marks are taken: not yet, no more by its teachers (a supervisor does, with a reason), or never. */
export type Phase = 'early' | 'open' | 'closed' | 'cancelled';
export const phaseOf = (
  { lesson, opens_at, closes_at }: Pick<SeenRollCall, 'lesson' | 'opens_at' | 'closes_at'>,
  now: number,
): Phase => {
  if (lesson.status === 'cancelled') return 'cancelled';
  if (now < Date.parse(opens_at)) return 'early';
  return now > Date.parse(closes_at) ? 'closed' : 'open';
};

/** A roll call with what a write answered; what only a read tells stays. */
export const withAnswer = (
  roll: SeenRollCall,
  answer: { lesson: SeenRollCall['lesson']; marks: readonly Omit<Stands, 'leave' | 'hours_left' | 'attended'>[] },
): SeenRollCall => {
  const answered = new Map(answer.marks.map((row) => [row.student_id, row]));
  return {
    ...roll,
    lesson: answer.lesson,
    marks: roll.marks.map((row) => ({ ...row, ...answered.get(row.student_id) })),
  };
};

const MARKS_BY_KEY: Readonly<Record<string, Mark>> = { p: 'present', l: 'late', a: 'absent', e: 'leave', t: 'trial' };
export type RowAction = { mark: Mark } | { move: 1 | -1 } | 'note' | 'undo';

/** What a key does in a row. */
export const rowActionOf = (key: string): RowAction | undefined => {
  const low = key.length === 1 ? key.toLowerCase() : key;
  const mark = MARKS_BY_KEY[low];
  if (mark !== undefined) return { mark };
  if (low === 'ArrowDown' || low === 'j') return { move: 1 };
  if (low === 'ArrowUp' || low === 'k') return { move: -1 };
  if (low === 'n') return 'note';
  return low === 'u' ? 'undo' : undefined;
};
