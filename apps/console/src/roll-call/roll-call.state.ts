import { computed, type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals';
import type { Mark } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { type OfflineQuery, useOfflineQuery } from '../shared/offline-query.ts';
import { invalidateKinds } from '../shared/query.ts';
import { now } from '../shared/clock.ts';
import { useReopened } from '../shared/open-state.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { hasRole, me } from '../shared/session.ts';
import { overrideRefusal, type QueuedMark, queueMarks, unqueueMarks } from './queue/queue.rules.ts';
import { changeQueue, queueOf, savedListeners } from './queue/sender.ts';
import {
  allExcused,
  allPresent,
  isMarkedByLeave,
  isPreset,
  presentMark,
  type Phase,
  phaseOf,
  type RollCall,
  type Row,
  rowsOf,
  newMark,
  withAnswer,
} from './roll-call.rules.ts';
import { t } from './roll-call-texts.ts';
import { markTextWithMinutes, closedText } from './mark-texts.ts';
import { type MarkingAct, type Restoration, restorationOf } from './undo.rules.ts';

/** One roll call on the screen, and its actions. */
export interface Sheet {
  query: OfflineQuery<RollCall>;
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
  /** Marks all students present who have no mark and no leave; if only leave is left, it marks that. */
  markOthers: () => void;
  /** Undoes the last act that can be undone. */
  undo: () => void;
  canUndo: ReadonlySignal<boolean>;
  /**
   * Sets the lesson back to scheduled when the office has undone its first roll call. For teachers the API does that
   * itself.
   */
  scheduleAgain: () => Promise<void>;
  /** Discards the person's own mark; the saved mark stays. */
  discard: (row: Row) => void;
  /** Sends the person's own mark again, over the saved mark that was shown. */
  keepOwnMark: (row: Row) => void;
}

export const useSheet = (lesson_id: string): Sheet => {
  const asked = useOfflineQuery(
    `roll-call ${lesson_id}`,
    async (abort): Promise<RollCall> => {
      const { data: roll } = await api.getRollCall({ path: { lesson_id } }, { signal: abort });
      const { data: clazz } = await api.getClazz({ path: { id: roll.lesson.clazz_id } }, { signal: abort });
      return { ...roll, clazz };
    },
    {
      kinds: ['roll_call', 'leave', 'enrolment', 'lesson', 'clazz'],
      // Roll calls of other lessons are ignored: many are taken at the same time.
      isAbout: ({ kind, ids }) => (kind !== 'roll_call' && kind !== 'lesson') || ids.includes(lesson_id),
    },
  );
  const reason = useSignal('');
  useReopened(`correction ${lesson_id}`, reason, '');
  const sheet = useMemo(() => sheetOf(lesson_id, asked, reason), [lesson_id]);
  useEffect(() => {
    const put: Parameters<typeof savedListeners.add>[0] = (answer) => {
      const roll = asked.data.peek();
      if (roll === undefined || answer.lesson.id !== lesson_id) return;
      asked.put(withAnswer(roll, answer));
      void sheet.scheduleAgain();
    };
    savedListeners.add(put);
    return () => void savedListeners.delete(put);
  }, [lesson_id]);
  return sheet;
};

const sheetOf = (lesson_id: string, query: OfflineQuery<RollCall>, reason: Signal<string>): Sheet => {
  const rows = computed(() => (query.data.value === undefined ? [] : rowsOf(query.data.value, queueOf(lesson_id))));
  const phase = computed<Phase>(() => {
    const user_id = me.value?.user_id ?? '';
    return query.data.value === undefined
      ? 'early'
      : phaseOf(query.data.value, { user_id, isOffice: hasRole('SUPERVISOR'), now: now.value });
  });
  const announcement = signal('');
  const acts = signal<readonly MarkingAct[]>([]);
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

  /** Whether the office is undoing the first roll call of a lesson that was scheduled before. */
  let isUndoingFirst = false;
  let wasScheduled = false;
  const act = (marks: readonly QueuedMark[]): void => {
    isUndoingFirst = false;
    wasScheduled ||= query.data.value?.lesson.status === 'scheduled';
    acts.value = [...acts.value.slice(-49), { at: Date.now(), before: rows.value, marks }];
    void changeQueue(lesson_id, (queue) => queueMarks(queue, marks));
  };
  /** The last act that can be undone, and what undoes it. */
  const undoable = computed((): { act: MarkingAct; restoration: Restoration } | undefined => {
    const givenReason = correctionReason();
    const context = {
      user_id: me.value?.user_id ?? '',
      now: now.value,
      reason: givenReason,
      withdrawal_reason: givenReason ?? (hasRole('SUPERVISOR') ? t.undone : null),
    };
    for (const last of acts.value.toReversed()) {
      const restoration = restorationOf(last, rows.value, queueOf(lesson_id), context);
      if (restoration !== undefined) return { act: last, restoration };
    }
    return undefined;
  });

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
        row.progress !== 'refused' &&
        !isPreset(row)
      )
        return;
      act([queued]);
    },
    markOthers: () => {
      const present = allPresent(rows.value, correctionReason());
      const marks = present.length > 0 ? present : allExcused(rows.value, correctionReason());
      if (marks.length === 0 || !canMark.value) return;
      act(marks);
      announcement.value = present.length > 0 ? t.filled(marks.length) : t.filledExcused(marks.length);
    },
    canUndo: computed(() => undoable.value !== undefined),
    undo: () => {
      // Time has passed since the page was drawn.
      now.value = Date.now();
      const last = undoable.value;
      if (last === undefined || !checkOpen()) return;
      acts.value = acts.value.filter((one) => one !== last.act);
      const { unqueued, marks } = last.restoration;
      void changeQueue(lesson_id, (queue) => queueMarks(unqueueMarks(queue, unqueued), marks));
      announcement.value = t.undone;
      isUndoingFirst = wasScheduled && hasRole('SUPERVISOR');
    },
    scheduleAgain: async () => {
      const hasMarks = rows.value.some((row) => row.mark !== null && !isMarkedByLeave(row));
      if (!isUndoingFirst || hasMarks || query.data.value?.lesson.status !== 'held') return;
      isUndoingFirst = false;
      try {
        await api.restoreLesson({ path: { lesson_id }, body: { reason: t.undone } });
      } catch (error) {
        toast(remedyOf(error));
      }
      invalidateKinds('lesson', 'roll_call');
    },
    discard: (row) => void changeQueue(lesson_id, (queue) => unqueueMarks(queue, [row.student_id])),
    keepOwnMark: (row) => {
      if (!checkOpen()) return;
      const by = { revision: row.saved.revision, reason: correctionReason() };
      void changeQueue(lesson_id, (queue) => overrideRefusal(queue, row.student_id, by));
    },
  };
};
