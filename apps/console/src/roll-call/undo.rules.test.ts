import { type Mark, WITHDRAWAL_MINUTES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { savedStudent } from '../../test/saved-student.ts';
import {
  acknowledgeRefused,
  acknowledgeSaved,
  EMPTY_QUEUE,
  nextToSend,
  type Queue,
  type QueuedMark,
  queueMarks,
  unqueueMarks,
} from './queue/queue.rules.ts';
import { newMark, type Row, rowsOf } from './roll-call.rules.ts';
import { type MarkingAct, restorationOf, WITHDRAWABLE_MS } from './undo.rules.ts';

const AT = 1_000_000;

/** A sheet of one teacher, `li`, whose marks are saved by `save`. */
const openSheet = (...saved: Row['saved'][]) => {
  let queue: Queue = EMPTY_QUEUE;
  let students = saved;
  const acts: MarkingAct[] = [];
  const rows = () => rowsOf({ marks: students }, queue);
  const rowOf = (student_id: string): Row => rows().find((row) => row.student_id === student_id) as Row;
  const put = (marks: readonly QueuedMark[], marked_by: string): void => {
    const byStudent = new Map(marks.map((mark) => [mark.student_id, mark]));
    students = students.map((row) => {
      const mark = byStudent.get(row.student_id);
      if (mark === undefined) return row;
      const { note, late_minutes } = mark;
      return { ...row, mark: mark.mark, note, late_minutes, marked_by, revision: row.revision + 1 };
    });
  };
  const restoration = (now = AT, withdrawal_reason: string | null = null) => {
    const act = acts.at(-1);
    return act && restorationOf(act, rows(), queue, { user_id: 'li', now, reason: null, withdrawal_reason });
  };
  return {
    mark: (marks: Record<string, Mark>, more: Partial<QueuedMark> = {}) => {
      const made = Object.entries(marks).map(([id, mark]) => newMark(rowOf(id), mark, null, more));
      acts.push({ at: AT, before: rows(), marks: made });
      queue = queueMarks(queue, made);
    },
    send: () => {
      queue = nextToSend(queue, () => 'key');
    },
    save: () => {
      for (queue = nextToSend(queue, () => 'key'); queue.sent !== null; queue = nextToSend(queue, () => 'key')) {
        put(queue.sent.marks, 'li');
        queue = acknowledgeSaved(queue, 'key', students);
      }
    },
    refuse: (student_id: string) => {
      queue = acknowledgeRefused(
        nextToSend(queue, () => 'key'),
        'key',
        'insufficient_hours',
        new Set([student_id]),
      );
    },
    markByOther: (student_id: string, mark: Mark) => put([newMark(rowOf(student_id), mark, null)], 'wu'),
    restoration,
    /** Undoes the last act, and returns what the sheet shows. */
    undo: () => {
      const found = restoration();
      acts.pop();
      if (found !== undefined) queue = queueMarks(unqueueMarks(queue, found.unqueued), found.marks);
      return Object.fromEntries(rows().map(({ student_id, mark, note }) => [student_id, note ?? mark]));
    },
    saved: () => Object.fromEntries(students.map(({ student_id, mark }) => [student_id, mark])),
    isQueued: () => queue.waiting.length > 0,
  };
};

describe('Undoing a mark', () => {
  it('removes it while it waits, without a request', () => {
    const sheet = openSheet(savedStudent('ann'));
    sheet.mark({ ann: 'present' });
    expect(sheet.undo()).toEqual({ ann: null });
    expect(sheet.isQueued()).toBe(false);
  });
  it.each(['send', 'save'] as const)('withdraws it after %s, back to unmarked', (step) => {
    const sheet = openSheet(savedStudent('ann'));
    sheet.mark({ ann: 'present' });
    sheet[step]();
    expect(sheet.undo()).toEqual({ ann: null });
    sheet.save();
    expect(sheet.saved()).toEqual({ ann: null });
  });
  it('restores the earlier mark and note, step by step back to unmarked', () => {
    const sheet = openSheet(savedStudent('ann'));
    sheet.mark({ ann: 'present' });
    sheet.mark({ ann: 'late' }, { note: 'bus' });
    sheet.save();
    sheet.mark({ ann: 'late' }, { note: 'train' });
    sheet.save();
    expect(sheet.undo()).toEqual({ ann: 'bus' });
    expect(sheet.undo()).toEqual({ ann: 'present' });
    expect(sheet.undo()).toEqual({ ann: null });
    sheet.save();
    expect(sheet.saved()).toEqual({ ann: null });
  });
  it('restores the preset of an approved leave', () => {
    const preset = savedStudent('ann', 'leave', { revision: 0 });
    const sheet = openSheet(preset);
    sheet.mark({ ann: 'present' });
    sheet.save();
    expect(sheet.undo()).toEqual({ ann: null });
  });
  it('is possible back to unmarked for less than the minutes of the API, for the office always', () => {
    const sheet = openSheet(savedStudent('ann'), savedStudent('bob', 'absent'));
    sheet.mark({ ann: 'present' });
    sheet.save();
    expect(WITHDRAWABLE_MS).toBeLessThan(WITHDRAWAL_MINUTES * 60_000);
    expect(sheet.restoration(AT + WITHDRAWABLE_MS)).toBeDefined();
    expect(sheet.restoration(AT + WITHDRAWABLE_MS + 1)).toBeUndefined();
    expect(sheet.restoration(AT + WITHDRAWABLE_MS + 1, 'undone')?.marks).toMatchObject([
      { mark: null, reason: 'undone' },
    ]);
    sheet.mark({ bob: 'late' });
    sheet.save();
    expect(sheet.restoration(AT + WITHDRAWABLE_MS + 1)?.marks).toMatchObject([{ mark: 'absent' }]);
  });
  it('is not offered after another person changed the mark', () => {
    const sheet = openSheet(savedStudent('ann'));
    sheet.mark({ ann: 'present' });
    sheet.save();
    sheet.markByOther('ann', 'present');
    expect(sheet.restoration()).toBeUndefined();
    sheet.markByOther('ann', 'late');
    expect(sheet.restoration()).toBeUndefined();
  });
  it('shows the mark of another person that was saved while it waited', () => {
    const sheet = openSheet(savedStudent('ann'));
    sheet.mark({ ann: 'present' });
    sheet.markByOther('ann', 'late');
    expect(sheet.undo()).toEqual({ ann: 'late' });
    expect(sheet.isQueued()).toBe(false);
  });
});

describe('Undoing the marks of all students', () => {
  it('withdraws saved marks, removes refused ones, and leaves marks of other persons', () => {
    const sheet = openSheet(savedStudent('ann'), savedStudent('bob'), savedStudent('cid'));
    sheet.mark({ ann: 'present', bob: 'present', cid: 'present' });
    sheet.refuse('bob');
    sheet.save();
    sheet.markByOther('cid', 'late');
    expect(sheet.undo()).toEqual({ ann: null, bob: null, cid: 'late' });
    sheet.save();
    expect(sheet.saved()).toEqual({ ann: null, bob: null, cid: 'late' });
  });
});
