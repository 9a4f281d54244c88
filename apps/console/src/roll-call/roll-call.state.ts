import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Mark, RollCallSheet } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { type OfflineQuery, useOfflineQuery } from '../shared/offline-query.ts';
import { now } from '../shared/clock.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { hasRole } from '../shared/session.ts';
import { overrideRefusal, type QueuedMark, unqueueMark } from './queue/queue.rules.ts';
import { changeQueue, queueOf, savedListeners, recordMarks } from './queue/sender.ts';
import {
  allPresent,
  presentMark,
  type Phase,
  phaseOf,
  type Row,
  rowsOf,
  newMark,
  withAnswer,
} from './roll-call.rules.ts';
import { t } from './roll-call-texts.ts';
import { markTextWithMinutes, closedText } from './mark-texts.ts';

/** One roll call on the screen, and its actions. */
export interface Sheet {
  query: OfflineQuery<RollCallSheet>;
  rows: ReadonlySignal<readonly Row[]>;
  phase: ReadonlySignal<Phase>;
  /** The reason for correcting a closed roll call; empty if none is entered. */
  reason: ReadonlySignal<string>;
  setReason: (reason: string) => void;
  /** Whether the person can take the roll call, now or after entering a reason. */
  canTakeRollCall: ReadonlySignal<boolean>;
  canMark: ReadonlySignal<boolean>;
  /** Why the person cannot mark now. */
  closedReason: ReadonlySignal<string | undefined>;
  /** The last action, for screen readers. */
  announcement: ReadonlySignal<string>;
  /** Marks a row. `present` becomes `makeup` for a guest. */
  mark: (row: Row, mark: Mark, more?: Partial<Pick<QueuedMark, 'note' | 'late_minutes'>>) => void;
  markAllPresent: () => void;
  undo: () => void;
  canUndo: ReadonlySignal<boolean>;
  /** Discards the person's own mark; the saved mark stays. */
  discard: (row: Row) => void;
  /** Sends the person's own mark again, over the saved mark that was shown. */
  keepOwnMark: (row: Row) => void;
}

export const useSheet = (lesson_id: string): Sheet => {
  const asked = useOfflineQuery(
    `roll-call ${lesson_id}`,
    async (abort) => (await api.getRollCall({ path: { lesson_id } }, { signal: abort })).data,
    {
      kinds: ['roll_call', 'leave', 'enrolment', 'lesson', 'clazz'],
      // Roll calls of other lessons are ignored: many are taken at the same time.
      isAbout: ({ kind, ids }) => (kind !== 'roll_call' && kind !== 'lesson') || ids.includes(lesson_id),
    },
  );
  const sheet = useMemo(() => sheetOf(lesson_id, asked), [lesson_id]);
  useEffect(() => {
    const put: Parameters<typeof savedListeners.add>[0] = (answer) => {
      const roll = asked.data.peek();
      if (roll !== undefined && answer.lesson.id === lesson_id) asked.put(withAnswer(roll, answer));
    };
    savedListeners.add(put);
    return () => void savedListeners.delete(put);
  }, [lesson_id]);
  return sheet;
};

const sheetOf = (lesson_id: string, query: OfflineQuery<RollCallSheet>): Sheet => {
  const rows = computed(() => (query.data.value === undefined ? [] : rowsOf(query.data.value, queueOf(lesson_id))));
  const phase = computed<Phase>(() =>
    query.data.value === undefined ? 'early' : phaseOf(query.data.value, now.value),
  );
  const reason = signal('');
  const announcement = signal('');
  const history = signal<readonly (readonly Row[])[]>([]);
  const correctionReason = (): string | null => (phase.value === 'closed' ? reason.value.trim() : null);
  const canTakeRollCall = computed(() => phase.value === 'open' || (phase.value === 'closed' && hasRole('SUPERVISOR')));
  const canMark = computed(() => canTakeRollCall.value && correctionReason() !== '');
  const closedReason = computed(() => {
    if (canMark.value || query.data.value === undefined) return undefined;
    return canTakeRollCall.value ? t.needReason : closedText(phase.value, query.data.value);
  });
  /** Whether marks are accepted. If not, it shows the reason. */
  const checkOpen = (): boolean => {
    if (canMark.value) return true;
    announcement.value = closedReason.value ?? '';
    toast(announcement.value);
    return false;
  };

  const record = (before: readonly Row[], marks: readonly QueuedMark[]): void => {
    history.value = [...history.value.slice(-49), before];
    void recordMarks(lesson_id, marks);
  };
  /** Restores the row's earlier mark. A saved mark cannot be removed. Returns whether it was restored. */
  const restoreRow = (row: Row): boolean => {
    const current = rows.value.find(({ student_id }) => student_id === row.student_id);
    if (current === undefined) return false;
    // A mark that is being sent will be saved, even if other marks follow.
    const isBeingSent = queueOf(lesson_id).sent?.marks.some(({ student_id }) => student_id === row.student_id) === true;
    if (row.mark !== null && (isBeingSent || row.mark !== current.saved.mark)) {
      const { note, late_minutes } = row;
      void recordMarks(lesson_id, [newMark(current, row.mark, correctionReason(), { note, late_minutes })]);
      return true;
    }
    void changeQueue(lesson_id, (queue) => unqueueMark(queue, row.student_id));
    return !isBeingSent && current.saved.mark === row.mark;
  };

  return {
    query,
    rows,
    phase,
    reason,
    setReason: (text) => {
      reason.value = text;
    },
    canTakeRollCall,
    canMark,
    closedReason,
    announcement,
    mark: (row, requested, more) => {
      if (!checkOpen()) return;
      const mark = requested === 'present' ? presentMark(row) : requested;
      const queued = newMark(row, mark, correctionReason(), more);
      announcement.value = t.markAnnouncement(
        row.student_name ?? row.student_id,
        markTextWithMinutes(mark, queued.late_minutes),
      );
      if (
        mark === row.mark &&
        queued.note === row.note &&
        queued.late_minutes === row.late_minutes &&
        row.progress !== 'refused'
      )
        return;
      record([row], [queued]);
    },
    markAllPresent: () => {
      const marks = allPresent(rows.value, correctionReason());
      if (marks.length === 0 || !canMark.value) return;
      const students = new Set(marks.map(({ student_id }) => student_id));
      record(
        rows.value.filter(({ student_id }) => students.has(student_id)),
        marks,
      );
      announcement.value = t.filled(marks.length);
    },
    canUndo: computed(() => history.value.length > 0),
    undo: () => {
      const last = history.value.at(-1);
      if (last === undefined || !checkOpen()) return;
      history.value = history.value.slice(0, -1);
      const isRestored = last.map(restoreRow).every(Boolean);
      announcement.value = isRestored ? t.undone : t.cannotUndo;
      if (!isRestored) toast(t.cannotUndo);
    },
    discard: (row) => void changeQueue(lesson_id, (queue) => unqueueMark(queue, row.student_id)),
    keepOwnMark: (row) =>
      void changeQueue(lesson_id, (queue) => overrideRefusal(queue, row.student_id, row.saved.revision)),
  };
};
