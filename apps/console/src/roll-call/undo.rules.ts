import type { Queue, QueuedMark } from './queue/queue.rules.ts';
import { isPreset, newMark, type Row } from './roll-call.rules.ts';

/** One act of the person: all rows before it, and the new marks. */
export interface MarkingAct {
  /** Epoch milliseconds. */
  at: number;
  before: readonly Row[];
  marks: readonly QueuedMark[];
}

/**
 * Milliseconds after an act in which a teacher can withdraw its marks: the API's 10 minutes, less the time that a
 * request takes. An act is older than its saved marks, so the clocks of page and system need not agree.
 */
export const WITHDRAWABLE_MS = 9.5 * 60_000;

/** The changes of the queue that undo an act. */
export interface Restoration {
  /** Students whose unsaved marks are removed. */
  unqueued: readonly string[];
  marks: readonly QueuedMark[];
}

interface UndoContext {
  user_id: string;
  /** Epoch milliseconds. */
  now: number;
  /** The reason for correcting a closed roll call, perhaps not entered yet; else null. */
  reason: string | null;
  /** The reason for withdrawing a mark, which the API requires of the office; null for teachers. */
  withdrawal_reason: string | null;
}

type MarkContent = Pick<QueuedMark, 'mark' | 'note' | 'late_minutes'>;
const isSameMark = (one: MarkContent, other: MarkContent): boolean =>
  one.mark === other.mark && one.note === other.note && one.late_minutes === other.late_minutes;

/** The row with its saved mark instead of a refused one. */
const withoutRefusal = (row: Row): Row =>
  row.progress === 'refused' ? { ...row, ...row.saved, progress: 'saved', code: null } : row;

type RowRestoration =
  | { kind: 'unqueue' }
  | { kind: 'mark'; mark: QueuedMark }
  /** The mark was changed after the act. */
  | { kind: 'changed' }
  | { kind: 'impossible' };

const restorationOfRow = (
  before: Row,
  mark: QueuedMark,
  { row, isSent, at }: { row: Row | undefined; isSent: boolean; at: number },
  { user_id, now, reason, withdrawal_reason }: UndoContext,
): RowRestoration => {
  if (row === undefined || !isSameMark(row, mark)) return { kind: 'changed' };
  const { saved, progress } = row;
  const isUnsent = progress !== 'saved' && !isSent;
  const isChangedByOther = saved.marked_by !== user_id && saved.revision > before.saved.revision;
  if (isUnsent && (isSameMark(saved, before) || (isChangedByOther && before.progress === 'saved')))
    return { kind: 'unqueue' };
  if (progress === 'saved' && isChangedByOther) return { kind: 'changed' };
  const revision = isChangedByOther ? before.saved.revision : saved.revision;
  if (before.mark !== null && !isPreset(before)) {
    const { note, late_minutes } = before;
    return { kind: 'mark', mark: { ...newMark(row, before.mark, reason, { note, late_minutes }), revision } };
  }
  if (withdrawal_reason === null && now > at + WITHDRAWABLE_MS) return { kind: 'impossible' };
  return { kind: 'mark', mark: { ...newMark(row, null, withdrawal_reason, { note: null }), revision } };
};

/**
 * The changes that undo an act, except for marks that another person or a later act changed; undefined if the act
 * cannot be undone.
 */
export const restorationOf = (
  { at, before, marks }: MarkingAct,
  rows: readonly Row[],
  { sent }: Queue,
  context: UndoContext,
): Restoration | undefined => {
  const rowOf = new Map(rows.map((row) => [row.student_id, row]));
  const earlierRowOf = new Map(before.map((row) => [row.student_id, row]));
  const isSent = new Set(sent?.marks.map(({ student_id }) => student_id));
  const unqueued: string[] = [];
  const restored: QueuedMark[] = [];
  for (const mark of marks) {
    const { student_id } = mark;
    const earlier = earlierRowOf.get(student_id);
    if (earlier === undefined) continue;
    const current = { row: rowOf.get(student_id), isSent: isSent.has(student_id), at };
    const restoration = restorationOfRow(withoutRefusal(earlier), mark, current, context);
    switch (restoration.kind) {
      case 'unqueue':
        unqueued.push(student_id);
        break;
      case 'mark':
        restored.push(restoration.mark);
        break;
      case 'impossible':
        return undefined;
      case 'changed':
        break;
      default:
        return restoration satisfies never;
    }
  }
  return unqueued.length + restored.length === 0 ? undefined : { unqueued, marks: restored };
};
