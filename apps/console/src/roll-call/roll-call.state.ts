import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Mark, SeenRollCall } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { type OfflineQuery, useOfflineQuery } from '../shared/offline-query.ts';
import { now } from '../shared/clock.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { hasRole } from '../shared/session.ts';
import { overrideRefusal, type QueuedMark, unqueueMark } from './queue/queue.rules.ts';
import { changeQueue, queueOf, savedTo, recordMarks } from './queue/sender.ts';
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

/** One roll call on the screen, and what can be done in it. */
export interface Sheet {
  asked: OfflineQuery<SeenRollCall>;
  rows: ReadonlySignal<readonly Row[]>;
  phase: ReadonlySignal<Phase>;
  /** Why a closed roll call is corrected; empty: nobody said so yet. */
  reason: ReadonlySignal<string>;
  setReason: (reason: string) => void;
  /** Whether the caller may say marks here, now or once they gave a reason. */
  isTakeable: ReadonlySignal<boolean>;
  mayMark: ReadonlySignal<boolean>;
  /** What to say to who may not mark now. */
  whyNot: ReadonlySignal<string | undefined>;
  /** What was done last, for those who hear the page. */
  told: ReadonlySignal<string>;
  /** What happened to the row last in words; a mark of `present` is that of a guest for a guest. */
  mark: (row: Row, mark: Mark, more?: Partial<Pick<QueuedMark, 'note' | 'late_minutes'>>) => void;
  fill: () => void;
  undo: () => void;
  canUndo: ReadonlySignal<boolean>;
  /** Somebody else's mark stays, or one's own is given up. */
  drop: (row: Row) => void;
  /** One's own counts, now that the other one was read. */
  keep: (row: Row) => void;
}

export const useSheet = (lesson_id: string): Sheet => {
  const asked = useOfflineQuery(
    `roll-call ${lesson_id}`,
    async (abort) => (await api.getRollCall({ path: { lesson_id } }, { signal: abort })).data,
    {
      kinds: ['roll_call', 'leave', 'enrolment', 'lesson', 'clazz'],
      // While everybody takes roll call, those of others are no matter of this one.
      isAbout: ({ kind, ids }) => (kind !== 'roll_call' && kind !== 'lesson') || ids.includes(lesson_id),
    },
  );
  const sheet = useMemo(() => sheetOf(lesson_id, asked), [lesson_id]);
  useEffect(() => {
    const put: Parameters<typeof savedTo.add>[0] = (answer) => {
      const roll = asked.data.peek();
      if (roll !== undefined && answer.lesson.id === lesson_id) asked.put(withAnswer(roll, answer));
    };
    savedTo.add(put);
    return () => void savedTo.delete(put);
  }, [lesson_id]);
  return sheet;
};

const sheetOf = (lesson_id: string, asked: OfflineQuery<SeenRollCall>): Sheet => {
  const rows = computed(() => (asked.data.value === undefined ? [] : rowsOf(asked.data.value, queueOf(lesson_id))));
  const phase = computed<Phase>(() =>
    asked.data.value === undefined ? 'early' : phaseOf(asked.data.value, now.value),
  );
  const reason = signal('');
  const told = signal('');
  const done = signal<readonly (readonly Row[])[]>([]);
  const why = (): string | null => (phase.value === 'closed' ? reason.value.trim() : null);
  const isTakeable = computed(() => phase.value === 'open' || (phase.value === 'closed' && hasRole('SUPERVISOR')));
  const mayMark = computed(() => isTakeable.value && why() !== '');
  const whyNot = computed(() => {
    if (mayMark.value || asked.data.value === undefined) return undefined;
    return isTakeable.value ? t.needReason : closedText(phase.value, asked.data.value);
  });
  /** Whether marks are taken; who tries all the same is told why not. */
  const isOpen = (): boolean => {
    if (mayMark.value) return true;
    told.value = whyNot.value ?? '';
    toast(told.value);
    return false;
  };

  const say = (before: readonly Row[], said: readonly QueuedMark[]): void => {
    done.value = [...done.value.slice(-49), before];
    void recordMarks(lesson_id, said);
  };
  /** What stood in the row before comes back; a mark that is saved cannot be made none. */
  const putBack = (row: Row): boolean => {
    const current = rows.value.find(({ student_id }) => student_id === row.student_id);
    if (current === undefined) return false;
    // What is under way will be saved, whatever is said after it.
    const isUnderWay = queueOf(lesson_id).sent?.marks.some(({ student_id }) => student_id === row.student_id) === true;
    if (row.mark !== null && (isUnderWay || row.mark !== current.stands.mark)) {
      const { note, late_minutes } = row;
      void recordMarks(lesson_id, [newMark(current, row.mark, why(), { note, late_minutes })]);
      return true;
    }
    void changeQueue(lesson_id, (queue) => unqueueMark(queue, row.student_id));
    return !isUnderWay && current.stands.mark === row.mark;
  };

  return {
    asked,
    rows,
    phase,
    reason,
    setReason: (text) => {
      reason.value = text;
    },
    isTakeable,
    mayMark,
    whyNot,
    told,
    mark: (row, given, more) => {
      if (!isOpen()) return;
      const mark = given === 'present' ? presentMark(row) : given;
      const said = newMark(row, mark, why(), more);
      told.value = t.told(row.student_name ?? row.student_id, markTextWithMinutes(mark, said.late_minutes));
      if (
        mark === row.mark &&
        said.note === row.note &&
        said.late_minutes === row.late_minutes &&
        row.progress !== 'refused'
      )
        return;
      say([row], [said]);
    },
    fill: () => {
      const said = allPresent(rows.value, why());
      if (said.length === 0 || !mayMark.value) return;
      const students = new Set(said.map(({ student_id }) => student_id));
      say(
        rows.value.filter(({ student_id }) => students.has(student_id)),
        said,
      );
      told.value = t.filled(said.length);
    },
    canUndo: computed(() => done.value.length > 0),
    undo: () => {
      const last = done.value.at(-1);
      if (last === undefined || !isOpen()) return;
      done.value = done.value.slice(0, -1);
      const isBack = last.map(putBack).every(Boolean);
      told.value = isBack ? t.undone : t.cannotUndo;
      if (!isBack) toast(t.cannotUndo);
    },
    drop: (row) => void changeQueue(lesson_id, (queue) => unqueueMark(queue, row.student_id)),
    keep: (row) => void changeQueue(lesson_id, (queue) => overrideRefusal(queue, row.student_id, row.stands.revision)),
  };
};
